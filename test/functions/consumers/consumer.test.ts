import { Logger } from '@aws-lambda-powertools/logger';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { defineConsumer } from '../../../shared/contracts/consumer.ts';
import { batchConsumer, consumer } from '../../../shared/runtime/consumer.ts';
import { carrying, eventsIn } from '../../../shared/store/outbox/outbox.ts';
import { concerning, requestIdOf } from '../../../shared/store/table/table-client.ts';
import { sqsEvent } from '../../support/test-queue.ts';

beforeAll(() => {
  Object.assign(process.env, { STAGE: 'local', TABLE_NAME: 'none', POWERTOOLS_LOG_LEVEL: 'SILENT' });
});

const common = { name: 'test', impact: 'none', timeoutSeconds: 1, access: { table: {} } };
const ofQueue = defineConsumer({
  ...common,
  source: { kind: 'queue', queue: 'deliver', batchSize: 10, retries: 1, maxConcurrency: 2 },
  message: z.object({ id: z.int() }),
});
const ofBus = defineConsumer({
  ...common,
  source: { kind: 'bus', pattern: {}, batchSize: 10, retries: 1, maxConcurrency: 2 },
  message: z.object({ id: z.int() }),
});

const ofText = defineConsumer({ ...ofBus, message: z.string(), readsText: true });
const requestId = '5f0d9a3e-6f4c-4b8e-9d3b-0a1f8c2e7d11';
const otherId = '5f0d9a3e-6f4c-4b8e-9d3b-0a1f8c2e7d12';

describe('consumer()', () => {
  it('reports only the messages that failed', async () => {
    const handled: number[] = [];
    const handler = consumer(ofQueue, {}, async ({ id }) => {
      if (id === 2) throw new Error('no');
      handled.push(id);
    });
    const event = sqsEvent({ id: 1 }, { id: 2 }, { id: 3 });

    expect(await handler(event)).toEqual({ batchItemFailures: [{ itemIdentifier: event.Records[1]?.messageId }] });
    expect(handled).toEqual([1, 3]);
  });

  it.each(['not JSON', '', { id: 'one' }, { id: 1.5 }, [], null])(
    'reports the invalid message %j as failed',
    async (body) => {
      const handle = vi.fn();
      const event = sqsEvent({ id: 1 }, body);
      const { batchItemFailures } = await consumer(ofQueue, {}, handle)(event);

      expect(batchItemFailures).toEqual([{ itemIdentifier: event.Records[1]?.messageId }]);
      expect(handle).toHaveBeenCalledTimes(1);
    },
  );

  it('reports each message when all messages of a batch fail', async () => {
    const event = sqsEvent('x', 'y');
    const { batchItemFailures } = await consumer(ofQueue, {}, vi.fn())(event);
    expect(batchItemFailures).toHaveLength(2);
  });

  it('handles the messages of a batch in parallel', async () => {
    const allStarted = Promise.withResolvers<void>();
    let started = 0;
    const handler = consumer(ofQueue, {}, async () => {
      started += 1;
      if (started === 3) allStarted.resolve();
      await allStarted.promise;
    });
    expect(await handler(sqsEvent({ id: 1 }, { id: 2 }, { id: 3 }))).toEqual({ batchItemFailures: [] });
  });

  it.each([
    ['a task', { id: 7, kind: 'post', partnerId: 2, transactionId: 3765 }, { event: 'post', transactionId: 3765 }],
    ['a message without a transaction', { id: 7 }, { event: undefined, transactionId: undefined }],
    ['a transaction that is none', { id: 7, transactionId: 'x' }, { event: undefined, transactionId: undefined }],
  ])('logs what a message was about: %s', async (_name, message, about) => {
    const info = vi.spyOn(Logger.prototype, 'info');
    await consumer(ofQueue, {}, vi.fn())(sqsEvent(message));

    expect(info).toHaveBeenCalledWith('message.handled', expect.objectContaining(about));
    info.mockRestore();
  });

  it('creates its repositories once, for the first message', async () => {
    const made = vi.fn();
    class Store {
      constructor() {
        made();
      }
    }
    const handler = consumer(ofQueue, { store: Store }, async () => {});
    expect(made).not.toHaveBeenCalled();
    await handler(sqsEvent({ id: 1 }));
    await handler(sqsEvent({ id: 2 }, { id: 3 }));
    expect(made).toHaveBeenCalledTimes(1);
  });

  it('passes the event to the handler without the envelope of the bus', async () => {
    const handle = vi.fn(async () => {});
    const body = { version: '0', 'detail-type': 'x', source: 'y', detail: { id: 7 } };
    await consumer(ofBus, {}, handle)(sqsEvent(body));
    expect(handle).toHaveBeenCalledWith({ id: 7 }, expect.objectContaining({ now: expect.any(Function) }));
  });

  it.each([
    ['from the event', { detail: { id: 7, requestId } }],
    ['from the delivery', { event: { id: otherId, requestId } }],
    ['from the task', { id: 7, requestId }],
    ["from the event's own id, when it has no request id", { detail: { id: requestId } }],
    ["from the envelope's id, for an event of a payment platform", { id: requestId, detail: { id: 'evt_1' } }],
  ])('takes the request id %s', async (_, body) => {
    const handle = vi.fn(async () => requestIdOf());
    await batchConsumer(ofText, {}, async () => [await handle()].slice(1))(sqsEvent({ version: '0', ...body }));
    expect(await handle.mock.results[0]?.value).toBe(requestId);
  });

  it('uses the id of the message when the request id is no UUID', async () => {
    const event = sqsEvent({ detail: { requestId: 'x'.repeat(4000) } });
    const handle = vi.fn(async () => requestIdOf());
    await consumer(ofText, {}, async () => void (await handle()))(event);
    expect(await handle.mock.results[0]?.value).toBe(event.Records[0]?.messageId);
  });

  it('gives each event the request id of the message about the same entity', async () => {
    const detail = (entityId: string, id: string) => ({ detail: { entityId, requestId: id } });
    const seen: unknown[] = [];
    const handler = batchConsumer(ofText, {}, async () => {
      const carried = ['one', 'two', 'three'].map((entityId) =>
        carrying([{ id: entityId, name: 'order_received', entityId, occurredAt: '2026-11-23T10:00:00.000Z' }]),
      );
      seen.push(...carried.map((item) => eventsIn({ pk: 'ORDER#1', sk: 'ORDER', ...item })[0]?.requestId));
      return concerning('two', async () => [requestIdOf(), requestIdOf('one')].map(() => undefined));
    });
    await handler(sqsEvent(detail('one', requestId), detail('two', otherId)));
    expect(seen).toEqual([requestId, otherId, undefined]);
  });

  it('throws for a declaration without a message schema', () => {
    const { message: _, ...declaration } = ofQueue;
    expect(() => consumer(declaration, {}, vi.fn())).toThrow('consumer test declares no message');
  });
});
