import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import type { FlowOrganisation } from '../../support/flow-demo.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import type { Flow } from './flow.ts';
import { send } from './http.ts';
import { settleLimitMs } from './purchase.ts';

type Delivery = Receiver['received'][number];

/** An organisation's endpoint that is subscribed to everything. */
export interface Subscriber {
  readonly url: string;
  readonly salt: string;
  readonly secret: string;
  readonly received: readonly Delivery[];
  /** The deliveries about an entity so far. */
  about(entityId: string): Delivery[];
  /** The names of the events about an entity so far, sorted. */
  namesAbout(entityId: string): string[];
  close(): Promise<void>;
}

export const lifeOfTransaction = ['transaction_authenticated', 'transaction_created', 'transaction_status_updated'];

/** Subscribes a new receiver to all events of an organisation (endpoint 13). */
export async function subscribe(flow: Flow, { apiKey: key }: FlowOrganisation): Promise<Subscriber> {
  const receiver = await startReceiver();
  const url = `${flow.hosts.notification}/webhooks/subscribe`;
  // Deletes subscriptions of earlier runs against the same platform.
  await send('PUT', url, { key, json: { endpoint: '' } });
  const { status, body } = await send('POST', url, { key, json: { endpoint: `${receiver.url}/hooks` } });
  expect(status).toBe(200);
  expect(body.data).toMatchObject({ subscribed: true, salt: expect.stringMatching(/^[0-9a-f]{64}$/) });
  const about = (entityId: string) => receiver.received.filter(({ body }) => JSON.parse(body).entity_id === entityId);
  return {
    url: `${receiver.url}/hooks`,
    salt: body.data.salt,
    secret: body.data.standard_webhooks_secret,
    received: receiver.received,
    about,
    namesAbout: (entityId) =>
      about(entityId)
        .map(({ body }) => String(JSON.parse(body).event))
        .toSorted(),
    close: async () => {
      await send('PUT', url, { key, json: { endpoint: '' } });
      await receiver.close();
    },
  };
}

/** Waits until every event of a transaction was delivered at least once. */
export async function heard(subscriber: Subscriber, uuid: string): Promise<void> {
  const names = () => [...new Set(subscriber.namesAbout(uuid))];
  await expect.poll(names, { timeout: settleLimitMs, interval: 50 }).toEqual(lifeOfTransaction);
}

/** Computes the signature as the specification ("Events", "Verification") requires it of a receiver. */
function signatureBySpecification({ headers, body }: Delivery, salt: string): string {
  return createHmac('sha256', salt).update(`${headers['x-platform-timestamp']}${body}`).digest('hex');
}

/** Checks a delivery as a careful receiver does: its content, its age, and its signature in two ways. */
export function expectGenuine(delivery: Delivery, { salt, secret }: Subscriber): void {
  const { method, headers, body } = delivery;
  expect(method).toBe('POST');
  expect(headers['content-type']).toMatch(/^application\/json/);
  expect(Object.keys(JSON.parse(body)).toSorted()).toEqual(['entity', 'entity_id', 'event']);
  expect(headers['x-platform-signature']).toBe(signatureBySpecification(delivery, salt));
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body));
  expect(headers['x-platform-event-id']).toBe(headers['webhook-id']);

  const sentAt = Date.parse(String(headers['x-platform-date']));
  expect(String(headers['x-platform-date'])).toMatch(/GMT$/);
  expect(sentAt).toBe(Number(headers['x-platform-timestamp']) * 1000);
  expect(Math.abs(Date.now() - sentAt)).toBeLessThan(60_000);
}
