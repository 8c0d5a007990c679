import { expect, it } from 'vitest';
import { verifyWebhook } from '../../clients/typescript/src/webhooks.ts';
import { isGenuineBySpecification } from '../support/specification-verifier.ts';
import { deliveryScenes, failing } from './delivery-scene.ts';

const { scene } = deliveryScenes();

const nextSalt = { salt: 'a0'.repeat(32), activatesAt: '2026-03-01T12:00:30.000Z' };
const attempts = ['2026-03-01T12:00:00.000Z', '2026-03-01T12:00:29.999Z', '2026-03-01T12:00:30.000Z'];

it('the attempts of a delivery use a new salt once it is active', async () => {
  const { receiver, subscription, subscriptions, message, lines, run } = await scene(failing(500));
  await subscriptions.remove(subscription.organisationId, subscription);
  await subscriptions.create({ ...subscription, nextSalt });
  for (const [index, at] of attempts.entries()) await run({ now: () => new Date(at) }, index + 1);

  const received = receiver.received.map(({ headers, body }, index) => {
    const now = new Date(attempts[index] ?? '');
    const salts = [subscription.salt, nextSalt.salt];
    return {
      eventId: verifyWebhook({ headers, body, salts, now }).eventId,
      isSignedBy: salts.map((salt) =>
        isGenuineBySpecification({ headers: { ...headers } as Record<string, string>, rawBody: body }, { salt, now }),
      ),
      announces: 'x-platform-signature-next' in headers,
    };
  });
  const eventId = message.event.id;
  expect(received).toEqual([
    { eventId, isSignedBy: [true, false], announces: true },
    { eventId, isSignedBy: [true, false], announces: true },
    { eventId, isSignedBy: [false, true], announces: false },
  ]);
  expect((await subscriptions.find(subscription))?.nextSalt).toEqual(nextSalt);
  expect(JSON.stringify([message, lines])).not.toContain(nextSalt.salt);
});
