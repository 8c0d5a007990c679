import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EventBus } from '../../shared/events/event-bus.ts';
import { addsEvents, relayOutbox } from '../../shared/operations/stream/relay-outbox.ts';
import { handleChanges } from '../../shared/runtime/consumer.ts';
import { carrying } from '../../shared/store/outbox/outbox.ts';
import { startPutEventsReceiver } from '../support/put-events-receiver.ts';
import { silentLog } from '../support/silent-log.ts';
import { anEvent, inserted, streamed } from './fixtures.ts';

/** Events that can be read and that the bus refuses. The bus is an HTTP server that answers as EventBridge does. */

type Takes = Parameters<typeof startPutEventsReceiver>[0];
type RefuseCall = NonNullable<Parameters<typeof startPutEventsReceiver>[1]>;

let takes: Takes;
let refuseCall: RefuseCall;
let bus: Awaited<ReturnType<typeof startPutEventsReceiver>>;
/** Called before and after every call of the bus and of the dead-letter queue; throws where the worker dies. */
let step: () => void;
const aside: { readonly body: string; readonly reason: string }[] = [];

beforeAll(async () => {
  bus = await startPutEventsReceiver(
    (entry, call) => takes(entry, call),
    (entries) => refuseCall(entries),
  );
  bus.client.middlewareStack.add(
    (next) => async (args) => {
      step();
      const result = await next(args);
      step();
      return result;
    },
    { step: 'initialize' },
  );
});
afterAll(() => bus.close());
beforeEach(() => {
  takes = () => true;
  refuseCall = () => undefined;
  step = () => {};
  bus.calls.length = 0;
  bus.taken.length = 0;
  aside.length = 0;
});

const eventOf = (id: string) => anEvent({ id });
const ids = (count: number) => Array.from({ length: count }, (_, position) => `event-${position}`);
const published = () => bus.taken.map(({ Detail }) => JSON.parse(Detail).id);
const isAbout = (entry: { readonly Detail: string }, id: string) => JSON.parse(entry.Detail).id === id;

async function relay(Records: readonly DynamoDBRecord[], queueWorks = true) {
  const { log, lines } = silentLog();
  const deadLetters = {
    add: async (body: string, reason: string) => {
      step();
      if (!queueWorks) throw new Error('no queue');
      aside.push({ body, reason });
      step();
    },
  };
  const deps = { bus: new EventBus(bus.client, 'rewards', () => 0.01), deadLetters, log };
  const reply = await handleChanges({ Records: [...Records] }, addsEvents, (changes) => relayOutbox(changes, deps));
  return { reply, lines };
}
const done = { batchItemFailures: [] };

describe('an event refused for good', () => {
  it.each(['InvalidArgument', 'MalformedDetail', 'RedactionFailure'])(
    'is set aside at once, and all others are published: %s',
    async (code) => {
      takes = (entry) => (isAbout(entry, 'event-3') ? code : true);
      const { reply, lines } = await relay(ids(25).map((id, at) => inserted(eventOf(id), at)));

      expect(reply).toEqual(done);
      expect(bus.calls.map((call) => call.length)).toEqual([10, 10, 5]);
      expect(published()).toEqual(ids(25).filter((id) => id !== 'event-3'));
      expect(aside.map(({ reason }) => reason)).toEqual([
        `OUTBOX#event-3 EVENT: EventRefusedError: ${code}: slow down`,
      ]);
      const place = { pk: 'OUTBOX#event-3', sk: 'EVENT', sequenceNumber: 'sequence-3' };
      expect(lines).toEqual([['error', 'outbox.refused', { ...place, error: expect.any(Error) }]]);
    },
  );

  it('is published when its message returns from the dead-letter queue', async () => {
    takes = (entry) => (isAbout(entry, 'event-0') ? 'InvalidArgument' : true);
    await relay([inserted(eventOf('event-0'), 0)]);
    takes = () => true;
    const { reply } = await relay(JSON.parse(aside[0]?.body ?? '').Records);

    expect([reply, published(), aside.length]).toEqual([done, ['event-0'], 1]);
  });

  it('shares one dead-letter message with other refused events of the same item', async () => {
    takes = (entry) => (isAbout(entry, 'event-1') || isAbout(entry, 'event-2') ? 'MalformedDetail' : true);
    const claim = { pk: 'CLAIM#1', sk: 'CLAIM', ...carrying(['event-0', 'event-1', 'event-2'].map(eventOf)) };
    const { reply } = await relay([streamed(claim, 0), inserted(eventOf('event-3'), 1)]);

    expect([reply, published()]).toEqual([done, ['event-0', 'event-3']]);
    expect(aside.map(({ reason }) => reason)).toEqual([expect.stringContaining('CLAIM#1 CLAIM: ')]);
  });

  it('waits in the stream until earlier events are published', async () => {
    takes = (entry) => (isAbout(entry, 'event-1') ? false : isAbout(entry, 'event-2') ? 'InvalidArgument' : true);
    const { reply, lines } = await relay(ids(4).map((id, at) => inserted(eventOf(id), at)));

    expect([reply, aside]).toEqual([{ batchItemFailures: [{ itemIdentifier: 'sequence-1' }] }, []]);
    expect(lines).toEqual([['error', 'outbox.not_published', { published: 1, of: 4 }]]);
  });

  it('is set aside even when the relay fails at a later event', async () => {
    takes = (entry) => (isAbout(entry, 'event-1') ? 'InvalidArgument' : !isAbout(entry, 'event-2'));
    const { reply } = await relay(ids(4).map((id, at) => inserted(eventOf(id), at)));

    expect([reply, aside.length]).toEqual([{ batchItemFailures: [{ itemIdentifier: 'sequence-2' }] }, 1]);
  });

  it('is retried when the dead-letter queue does not work', async () => {
    takes = (entry) => (isAbout(entry, 'event-1') ? 'InvalidArgument' : true);
    const { reply, lines } = await relay(
      ids(3).map((id, at) => inserted(eventOf(id), at)),
      false,
    );

    expect(reply).toEqual({ batchItemFailures: [{ itemIdentifier: 'sequence-1' }] });
    expect(lines).toEqual([['error', 'outbox.interrupted', { handled: 1, of: 3, error: expect.any(Error) }]]);
  });

  it('is set aside in the order of the stream, like unreadable items', async () => {
    takes = (entry) => (isAbout(entry, 'event-0') || isAbout(entry, 'event-3') ? 'InvalidArgument' : true);
    const unreadable = { pk: 'OUTBOX#unreadable', sk: 'EVENT', event: { id: 1 } };
    const [one, two, ...others] = ids(5).map((id, at) => inserted(eventOf(id), at));
    if (!one || !two) return expect.unreachable();
    const { reply } = await relay([one, two, streamed(unreadable, 9), ...others]);

    expect([reply, published()]).toEqual([done, ['event-1', 'event-2', 'event-4']]);
    expect(aside.map(({ reason }) => reason.split(' ')[0])).toEqual([
      'OUTBOX#event-0',
      'OUTBOX#unreadable',
      'OUTBOX#event-3',
    ]);
  });
});

describe('an event that the bus refuses temporarily', () => {
  it.each([
    'ThrottlingException',
    'InternalFailure',
    'AccessDeniedException',
    'NotAuthorizedForSourceException',
    'NotAuthorizedForDetailTypeException',
    'InvalidAccountIdException',
    'SomethingNew',
  ])('is repeated and never set aside: %s', async (code) => {
    takes = (entry) => (isAbout(entry, 'event-1') ? code : true);
    const { reply } = await relay(ids(3).map((id, at) => inserted(eventOf(id), at)));

    expect([reply, aside]).toEqual([{ batchItemFailures: [{ itemIdentifier: 'sequence-1' }] }, []]);
    expect(bus.calls.length).toBeGreaterThan(1);
  });

  it('is not set aside when the bus refuses the whole call', async () => {
    refuseCall = () => ({ status: 400, name: 'AccessDeniedException' });
    await expect(relay([inserted(eventOf('event-0'), 0)])).rejects.toThrow('refused as a whole');
    expect(aside).toEqual([]);
  });
});

describe('a call that the bus refuses', () => {
  it.each([
    { status: 400, name: 'ValidationException' },
    { status: 400, name: 'SerializationException' },
    { status: 413, name: 'RequestEntityTooLargeException' },
    { status: 413, name: 'UnknownError' },
  ])('is halved until the faulty entry is found: $status $name', async (error) => {
    const faulty = ['event-0', 'event-7', 'event-12'];
    refuseCall = (entries) => (entries.some((entry) => faulty.some((id) => isAbout(entry, id))) ? error : undefined);
    const { reply } = await relay(ids(15).map((id, at) => inserted(eventOf(id), at)));

    expect([reply, published()]).toEqual([done, ids(15).filter((id) => !faulty.includes(id))]);
    expect(aside.map(({ reason }) => reason.split(' ')[0])).toEqual(faulty.map((id) => `OUTBOX#${id}`));
  });

  it('is sent in parts when it is too large', async () => {
    refuseCall = (entries) => (entries.length > 3 ? { status: 400, name: 'ValidationException' } : undefined);
    const { reply } = await relay(ids(10).map((id, at) => inserted(eventOf(id), at)));

    expect([reply, published(), aside]).toEqual([done, ids(10), []]);
  });

  it('is halved, and its throttled entries are sent again', async () => {
    refuseCall = (entries) =>
      entries.some((entry) => isAbout(entry, 'event-2')) ? { status: 400, name: 'ValidationException' } : undefined;
    const seen = new Set<string>();
    takes = (entry) => {
      const isRepeated = seen.has(entry.Detail);
      seen.add(entry.Detail);
      return isRepeated || !isAbout(entry, 'event-1');
    };
    const { reply } = await relay(ids(4).map((id, at) => inserted(eventOf(id), at)));

    expect([reply, published().toSorted()]).toEqual([done, ['event-0', 'event-1', 'event-3']]);
    expect(aside).toHaveLength(1);
  });
});

describe('a worker that dies between two steps', () => {
  it('loses no event when its work is repeated', async () => {
    const refused = ['event-2', 'event-13'];
    takes = (entry) => (isAbout(entry, 'event-2') ? 'InvalidArgument' : true);
    refuseCall = (entries) =>
      entries.some((entry) => isAbout(entry, 'event-13')) ? { status: 400, name: 'ValidationException' } : undefined;
    const unreadable = streamed({ pk: 'OUTBOX#unreadable', sk: 'EVENT', event: { id: 1 } }, 20);
    const records = [...ids(12).map((id, at) => inserted(eventOf(id), at)), unreadable];
    records.push(
      ...ids(16)
        .slice(12)
        .map((id, at) => inserted(eventOf(id), 21 + at)),
    );

    let deaths = 0;
    for (let last = 0; ; last += 1) {
      bus.taken.length = 0;
      aside.length = 0;
      let steps = 0;
      step = () => {
        steps += 1;
        // Every later step throws too: a dead worker makes no more calls, even if its code catches the error.
        if (steps > last) throw new Error('the worker died');
      };
      await relay(records).catch(() => undefined);
      const died = steps > last;
      step = () => {};
      if (died) expect((await relay(records)).reply).toEqual(done);

      expect([...new Set(published())]).toEqual(ids(16).filter((id) => !refused.includes(id)));
      const places = aside.map(({ reason }) => reason.split(' ')[0]);
      expect([...new Set(places)]).toEqual(['OUTBOX#event-2', 'OUTBOX#unreadable', 'OUTBOX#event-13']);
      if (!died) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(12);
  });
});
