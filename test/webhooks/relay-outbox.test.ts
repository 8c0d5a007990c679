import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterEach, describe, expect, it } from 'vitest';
import type { BusEvent, PlatformEvent } from '../../shared/contracts/events.ts';
import { EventBus } from '../../shared/events/event-bus.ts';
import { addsEvents, type RelayDeps, relayOutbox } from '../../shared/operations/stream/relay-outbox.ts';
import { handleChanges } from '../../shared/runtime/consumer.ts';
import { carrying } from '../../shared/store/outbox/outbox.ts';
import { followingFrom } from '../../shared/store/table/table-client.ts';
import { startPutEventsReceiver } from '../support/put-events-receiver.ts';
import { silentLog } from '../support/silent-log.ts';
import { anEvent, inserted, streamed } from './fixtures.ts';

const closing: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of closing.splice(0)) await one.close();
});

const claim = { pk: 'CLAIM#1', sk: 'CLAIM', state: 'ISSUED' };

/** Relays the records of a batch, as the function does. */
const relay = (Records: DynamoDBRecord[], deps: RelayDeps) =>
  handleChanges({ Records }, addsEvents, (changes) => relayOutbox(changes, deps));

/** A dead-letter queue in memory: each message with its body and its reason. */
function deadLetterBox(isWorking: () => boolean = () => true) {
  const messages: { readonly body: string; readonly reason: string }[] = [];
  const add = async (body: string, reason: string) => {
    if (!isWorking()) throw new Error('no queue');
    messages.push({ body, reason });
  };
  return { messages, add };
}

interface Surroundings {
  readonly takes?: Parameters<typeof startPutEventsReceiver>[0];
  readonly queueWorks?: () => boolean;
}

async function relaying(records: DynamoDBRecord[], { takes = () => true, queueWorks }: Surroundings = {}) {
  const bus = await startPutEventsReceiver(takes);
  closing.push(bus);
  const { log, lines } = silentLog();
  const deadLetters = deadLetterBox(queueWorks);
  const reply = await relay(records, { bus: new EventBus(bus.client, 'rewards', () => 0.01), deadLetters, log });
  return { reply, bus, lines, aside: deadLetters.messages };
}

const unreadable = { pk: 'OUTBOX#1', sk: 'EVENT', event: { id: 1 } };
const done = { batchItemFailures: [] };

const events = (count: number) => Array.from({ length: count }, () => anEvent());
const ids = (entries: readonly { Detail: string }[]) => entries.map(({ Detail }) => JSON.parse(Detail).id);

describe('relayOutbox()', () => {
  it('publishes every event unchanged, in calls of ten events and in order', async () => {
    const all = events(23);
    const { reply, bus } = await relaying(all.map(inserted));

    expect(reply).toEqual({ batchItemFailures: [] });
    expect(bus.calls.map((call) => call.length)).toEqual([10, 10, 3]);
    expect(bus.taken.map(({ Detail }) => JSON.parse(Detail))).toEqual(all);
    expect(bus.taken[0]).toMatchObject({
      Source: 'rewards.platform',
      DetailType: 'transaction_created',
      EventBusName: 'rewards',
    });
  });

  it('publishes internal events', async () => {
    const { id, entityId, occurredAt } = anEvent();
    const received: BusEvent = { id, name: 'order_received', entityId, occurredAt };
    const { bus } = await relaying([inserted(received, 0)]);

    expect(bus.taken.map(({ Detail }) => JSON.parse(Detail))).toEqual([received]);
    expect(bus.taken[0]).toMatchObject({ DetailType: 'order_received' });
  });

  it('publishes all fields of an event whose name only a newer release knows', async () => {
    const newer = { ...anEvent(), name: 'tier_reached', tier: { id: 3 } };
    const { reply, bus } = await relaying([
      streamed({ pk: 'OUTBOX#1', sk: 'EVENT', event: newer }, 0),
      streamed({ ...claim, outbox: { occurredAt: newer.occurredAt, events: [newer] } }, 1),
    ]);

    expect(reply).toEqual({ batchItemFailures: [] });
    expect(bus.taken.map(({ DetailType, Detail }) => [DetailType, JSON.parse(Detail)])).toEqual([
      ['tier_reached', newer],
      ['tier_reached', newer],
    ]);
  });

  it('publishes again only the events that a call did not accept', async () => {
    const all = events(10);
    const unlucky = all[3]?.id;
    const { reply, bus } = await relaying(all.map(inserted), {
      takes: (entry, call) => call > 2 || !entry.Detail.includes(`${unlucky}`),
    });

    expect(reply).toEqual({ batchItemFailures: [] });
    expect(bus.calls.map((call) => call.length)).toEqual([10, 1, 1]);
    expect(new Set(ids(bus.taken))).toEqual(new Set(all.map(({ id }) => id)));
  });

  it('stops at the first event that the bus refuses in every call', async () => {
    const all = events(25);
    const refused = [all[12]?.id, all[14]?.id];
    const { reply, bus, lines } = await relaying(all.map(inserted), {
      takes: ({ Detail }) => !refused.some((id) => Detail.includes(`${id}`)),
    });

    expect(reply).toEqual({ batchItemFailures: [{ itemIdentifier: 'sequence-12' }] });
    expect(ids(bus.taken)).not.toContain(all[20]?.id);
    expect(lines).toContainEqual(['error', 'outbox.not_published', { published: 12, of: 25 }]);
  });

  it('publishes every event when it runs again from the reported event', async () => {
    const all = events(15);
    const first = await relaying(all.map(inserted), {
      takes: ({ Detail }) => !Detail.includes(`${all[4]?.id}`),
    });
    const from = Number(first.reply.batchItemFailures[0]?.itemIdentifier.split('-')[1]);
    const second = await relaying(all.slice(from).map(inserted));

    expect(new Set([...ids(first.bus.taken), ...ids(second.bus.taken)])).toEqual(new Set(all.map(({ id }) => id)));
  });

  it('publishes the id of the request that caused an event', async () => {
    const [one, two] = events(2) as [PlatformEvent, PlatformEvent];
    const requestId = '5f0d9a3e-6f4c-4b8e-9d3b-0a1f8c2e7d11';
    const first = followingFrom({ byEntity: new Map(), otherwise: requestId }, () => inserted(one, 0));
    const { bus } = await relaying([first, inserted(two, 1)]);

    expect(bus.taken.map(({ Detail }) => JSON.parse(Detail))).toEqual([{ ...one, requestId }, two]);
  });

  it('publishes the events that an inserted or changed item carries', async () => {
    const [one, two, three] = events(3) as [PlatformEvent, PlatformEvent, PlatformEvent];
    const { reply, bus } = await relaying([
      streamed({ pk: 'TRANSACTION#1', sk: 'TRANSACTION', ...carrying([one]) }, 0),
      streamed({ ...claim, state: 'SPENT', ...carrying([two, three]) }, 1, claim),
    ]);

    expect(reply).toEqual({ batchItemFailures: [] });
    expect(ids(bus.taken)).toEqual([one.id, two.id, three.id]);
  });

  it('reports an item when the bus refuses one of its events in every call', async () => {
    const [one, two, three] = events(3) as [PlatformEvent, PlatformEvent, PlatformEvent];
    const { reply } = await relaying(
      [streamed({ ...claim, ...carrying([one]) }, 0), streamed({ ...claim, ...carrying([two, three]) }, 1)],
      { takes: ({ Detail }) => !Detail.includes(three.id) },
    );

    expect(reply).toEqual({ batchItemFailures: [{ itemIdentifier: 'sequence-1' }] });
  });

  it('ignores changes that add no event, and deleted items, such as expired events', async () => {
    const carrier = { ...claim, ...carrying([anEvent()]) };
    const deleted: DynamoDBRecord = { eventName: 'REMOVE', dynamodb: { SequenceNumber: 'sequence-3' } };
    const { reply, bus } = await relaying([
      streamed(claim, 0),
      streamed({ ...claim, state: 'SPENT' }, 1, claim),
      streamed({ ...carrier, state: 'SPENT' }, 2, carrier),
      deleted,
    ]);
    expect(reply).toEqual({ batchItemFailures: [] });
    expect(bus.calls).toEqual([]);
  });

  it('throws when it cannot reach the bus, so the stream repeats the batch', async () => {
    const bus = { publish: () => Promise.reject(new Error('no bus')) };
    const deps = { bus, deadLetters: deadLetterBox(), log: silentLog().log };
    await expect(relay([inserted(anEvent(), 0)], deps)).rejects.toThrow('no bus');
  });
});

describe('an item with unreadable events', () => {
  const { merchantId: _, ...incomplete } = anEvent() as PlatformEvent;

  it.each([
    ['no event', unreadable],
    ['an event with a known name that lacks a field', { ...unreadable, event: incomplete }],
    ['an event without a time that the bus needs', { ...unreadable, event: { ...anEvent(), occurredAt: 'soon' } }],
    ['carried events, one of them unreadable', { ...claim, outbox: { occurredAt: '', events: [anEvent(), {}] } }],
    ['carried events that are no list', { ...claim, outbox: 7 }],
  ])('goes to the dead-letter queue while the events around it are published: %s', async (_name, item) => {
    const [one, two] = events(2) as [PlatformEvent, PlatformEvent];
    const { reply, bus, aside, lines } = await relaying([inserted(one, 0), streamed(item, 1), inserted(two, 2)]);

    expect(reply).toEqual(done);
    expect(ids(bus.taken)).toEqual([one.id, two.id]);
    expect(aside).toEqual([{ body: expect.any(String), reason: expect.stringContaining(`${item.pk} ${item.sk}: `) }]);
    const place = { pk: item.pk, sk: item.sk, sequenceNumber: 'sequence-1' };
    expect(lines).toEqual([['error', 'outbox.unreadable', { ...place, error: expect.any(Error) }]]);
  });

  it('becomes a dead letter with only position, key and events', async () => {
    const item = { ...claim, amountCents: 1_000, outbox: { occurredAt: 'x', events: [{ id: 'é \u{1F600} \uFFFE' }] } };
    const { aside } = await relaying([streamed(item, 5, claim)]);

    // SQS refuses some characters, so the JSON has to escape every character outside ASCII.
    expect(aside[0]?.body).toMatch(/^[ -~]+$/);
    const { amountCents: __, state: ___, ...kept } = item;
    expect(JSON.parse(aside[0]?.body ?? '')).toEqual({
      Records: [{ eventName: 'MODIFY', dynamodb: { SequenceNumber: 'sequence-5', NewImage: marshall(kept) } }],
    });
  });

  it('becomes a dead letter without events that are too long', async () => {
    const { aside, reply } = await relaying([streamed({ ...unreadable, event: 'x'.repeat(300_000) }, 0)]);

    expect(reply).toEqual(done);
    expect(JSON.parse(aside[0]?.body ?? '')).toEqual({ pk: 'OUTBOX#1', sk: 'EVENT', sequenceNumber: 'sequence-0' });
  });

  it('is retried until the dead-letter queue works', async () => {
    const [one, two] = events(2) as [PlatformEvent, PlatformEvent];
    const { reply, bus, lines } = await relaying([inserted(one, 0), streamed(unreadable, 1), inserted(two, 2)], {
      queueWorks: () => false,
    });

    expect(reply).toEqual({ batchItemFailures: [{ itemIdentifier: 'sequence-1' }] });
    expect(ids(bus.taken)).toEqual([one.id]);
    expect(lines).toEqual([['error', 'outbox.interrupted', { handled: 1, of: 3, error: expect.any(Error) }]]);
  });

  it('makes the relay throw when it is first in the batch and the dead-letter queue fails', async () => {
    const records = [streamed(unreadable, 0), inserted(anEvent(), 1)];
    await expect(relaying(records, { queueWorks: () => false })).rejects.toThrow('no queue');
  });

  it('waits while the bus refuses an earlier event', async () => {
    const { reply, aside } = await relaying([inserted(anEvent(), 0), streamed(unreadable, 1)], { takes: () => false });

    expect(reply).toEqual({ batchItemFailures: [{ itemIdentifier: 'sequence-0' }] });
    expect(aside).toEqual([]);
  });

  it('is put into the dead-letter queue only once, even if a later event fails', async () => {
    const [one] = events(1) as [PlatformEvent];
    const bus = {
      publish: (all: readonly unknown[]) =>
        all.length > 0 ? Promise.reject(new Error('no bus')) : Promise.resolve({ settled: 0, refused: [] }),
    };
    const deadLetters = deadLetterBox();
    const reply = await relay([streamed(unreadable, 0), inserted(one, 1)], { bus, deadLetters, log: silentLog().log });

    expect(reply).toEqual({ batchItemFailures: [{ itemIdentifier: 'sequence-1' }] });
    expect(deadLetters.messages).toHaveLength(1);
  });
});

describe('an item with a number that JavaScript cannot hold', () => {
  it('has its events published', async () => {
    const one = anEvent() as PlatformEvent;
    const { eventName, dynamodb } = inserted(one, 0);
    const NewImage = { ...dynamodb?.NewImage, size: { N: '12345678901234567890' } };
    const { bus, aside, reply } = await relaying([
      { eventName, dynamodb: { ...dynamodb, NewImage } } as DynamoDBRecord,
    ]);

    expect([reply, ids(bus.taken), aside]).toEqual([done, [one.id], []]);
  });
});
