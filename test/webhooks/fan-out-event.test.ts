import type { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { consumer } from '../../functions/consumers/fan-out-event/consumer.ts';
import { eventNames } from '../../shared/contracts/events.ts';
import { MessageQueue, MessagesNotQueuedError } from '../../shared/events/message-queue.ts';
import { fanOutEvent } from '../../shared/operations/webhook/fan-out-event.ts';
import { type DeliveryMessage, deliveryGroup } from '../../shared/webhooks/delivery.ts';
import { type EndpointHealth, newHealth } from '../../shared/webhooks/endpoint-health.ts';
import type { Subscription } from '../../shared/webhooks/subscription.ts';
import { makeTestQueue, type TestQueue } from '../support/test-queue.ts';
import { anEvent, aSubscription } from './fixtures.ts';

let queue: TestQueue;
beforeAll(async () => {
  queue = await makeTestQueue();
});
afterAll(() => queue.stop());

let asked: number[];
let fast: DeliveryMessage[];
beforeEach(() => {
  asked = [];
  fast = [];
});

const queueAt = (client: SQSClient, url = 'url') =>
  new MessageQueue<DeliveryMessage>(client, { url, groupOf: deliveryGroup }, () => 0.01);

const among = (subscriptions: readonly Subscription[]) => ({
  of: async (organisationId: number) => {
    asked.push(organisationId);
    return subscriptions.filter((subscription) => subscription.organisationId === organisationId);
  },
});

async function fannedOut(event: ReturnType<typeof anEvent>, subscriptions: readonly Subscription[]) {
  const slowQueue = queueAt(queue.client, queue.url);
  const fastQueue = { send: async (messages: readonly DeliveryMessage[]) => void fast.push(...messages) };
  await fanOutEvent(event, { subscriptions: among(subscriptions), fastQueue, slowQueue });

  const records = [];
  for (let batch = await queue.receive(); batch.Records.length > 0; batch = await queue.receive()) {
    records.push(...batch.Records);
  }
  return records.map(({ body }) => ({ message: JSON.parse(body) as DeliveryMessage, body }));
}

describe('fanOutEvent()', () => {
  const merchant = aSubscription({ organisationId: 101 });
  const partner = aSubscription({ organisationId: 202, endpointUrl: 'https://partner.example.com/' });
  const stranger = aSubscription({ organisationId: 303 });

  it('queues one delivery per endpoint, only for merchant and partner', async () => {
    const event = anEvent();
    const queued = await fannedOut(event, [merchant, partner, stranger]);

    expect(queued.map(({ message }) => message.subscription.subscriptionId).sort()).toEqual(
      [merchant.subscriptionId, partner.subscriptionId].sort(),
    );
    for (const { message } of queued) expect(message).toMatchObject({ event, attempt: 1 });
  });

  it.each<[string, Partial<EndpointHealth>, 'fast' | 'slow']>([
    ['has replied quickly', { recent: 'SSSSS' }, 'fast'],
    ['has failed', { recent: 'SSSSF' }, 'slow'],
    ['has replied slowly', { recent: 'SSSSL' }, 'slow'],
    ['has an open circuit breaker', { recent: 'SSSSS', state: 'open' }, 'slow'],
    ['is disabled', { recent: 'SSSSS', state: 'disabled' }, 'slow'],
  ])('uses the $2 lane for a delivery to an endpoint that $0', async (_, health, lane) => {
    const queued = await fannedOut(anEvent(), [{ ...merchant, health: { ...newHealth, ...health } }]);
    expect([fast.length, queued.length]).toEqual(lane === 'fast' ? [1, 0] : [0, 1]);
  });

  it('does not send an event about an endpoint to the endpoint itself', async () => {
    const other = aSubscription({ organisationId: 101, eventName: 'webhook.endpoint_degraded' });
    const event = anEvent({ name: 'webhook.endpoint_degraded', entityId: merchant.subscriptionId });
    const queued = await fannedOut(event, [merchant, other]);
    expect(queued.map(({ message }) => message.subscription.subscriptionId)).toEqual([other.subscriptionId]);
  });

  it('queues no salt and no URL', async () => {
    const [queued] = await fannedOut(anEvent(), [merchant]);
    expect(queued?.body).not.toContain(merchant.salt);
    expect(queued?.body).not.toContain('example.com');
  });

  it('reads the subscriptions once when merchant and partner are the same organisation', async () => {
    const queued = await fannedOut(anEvent({ merchantId: 101, partnerId: 101 }), [merchant]);
    expect(queued).toHaveLength(1);
    expect(asked).toEqual([101]);
  });

  it('queues one delivery for several subscriptions of a URL', async () => {
    const specific = aSubscription({ organisationId: 101, eventName: 'transaction_created' });
    const queued = await fannedOut(anEvent(), [merchant, specific]);
    expect(queued.map(({ message }) => message.subscription)).toEqual([
      {
        organisationId: 101,
        subscriptionId: specific.subscriptionId,
        eventName: 'transaction_created',
        updatedAt: specific.updatedAt,
      },
    ]);
  });

  it('queues one delivery for each organisation when both use the same URL', async () => {
    const same = aSubscription({ organisationId: 202, endpointUrl: merchant.endpointUrl });
    expect(await fannedOut(anEvent(), [merchant, same])).toHaveLength(2);
  });

  it("queues nothing for a subscription whose key may not read the event's entity", async () => {
    const blind = aSubscription({ organisationId: 101, readableEntityTypes: [1] });
    expect(await fannedOut(anEvent(), [blind])).toEqual([]);
  });

  it('queues all deliveries when they exceed the size of one call', async () => {
    const many = Array.from({ length: 23 }, (_, index) =>
      aSubscription({ organisationId: 101, endpointUrl: `https://${index}.example.com/` }),
    );
    expect(await fannedOut(anEvent(), many)).toHaveLength(23);
  });
});

describe('MessageQueue', () => {
  const messages = Array.from({ length: 3 }, () => ({ event: anEvent(), subscription: aSubscription(), attempt: 1 }));

  /** A client of a queue that accepts only some messages. */
  function client(takes: (body: string | undefined, call: number) => boolean) {
    const calls: SendMessageBatchCommand['input'][] = [];
    const send = async ({ input }: SendMessageBatchCommand) => {
      calls.push(input);
      return { Failed: (input.Entries ?? []).filter(({ MessageBody }) => !takes(MessageBody, calls.length)) };
    };
    return { client: { send } as unknown as SQSClient, calls };
  }
  const second = JSON.stringify(messages[1]);

  it('gives each subscription a separate message group', async () => {
    const { client: queueClient, calls } = client(() => true);
    await queueAt(queueClient).send(messages);
    expect(calls[0]?.Entries?.map(({ MessageGroupId }) => MessageGroupId)).toEqual(
      messages.map(({ subscription }) => subscription.subscriptionId),
    );
  });

  it('sends again only the messages that a call did not accept', async () => {
    const { client: busy, calls } = client((body, call) => call > 1 || body !== second);
    await queueAt(busy).send(messages, 5);

    expect(calls.map(({ Entries }) => Entries?.length)).toEqual([3, 1]);
    expect(calls[1]?.Entries?.[0]).toMatchObject({ MessageBody: second, DelaySeconds: 5 });
  });

  it('throws when the queue refuses some messages in every call', async () => {
    const { client: broken } = client((body) => body !== second);
    await expect(queueAt(broken).send(messages)).rejects.toThrow(MessagesNotQueuedError);
  });

  it('makes no call when there is no message', async () => {
    const { client: unused, calls } = client(() => true);
    await queueAt(unused).send([]);
    expect(calls).toEqual([]);
  });
});

describe('the rule of fan-out-event', () => {
  it('matches all events except internal events', () => {
    expect(consumer.source).toMatchObject({ pattern: { 'detail-type': eventNames } });
    expect(eventNames).toHaveLength(12);
  });
});
