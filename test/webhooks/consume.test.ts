import { beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { busMessage, consume } from '../../shared/runtime/consume.ts';
import { sqsEvent } from '../support/test-queue.ts';

beforeAll(() => {
  process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';
});

const message = z.object({ id: z.int() });

describe('a consumer', () => {
  it('reports the messages that failed and no other', async () => {
    const handled: number[] = [];
    const handler = consume({
      message,
      deps: () => ({}),
      handle: async ({ id }) => {
        if (id === 2) throw new Error('no');
        handled.push(id);
      },
    });
    const event = sqsEvent({ id: 1 }, { id: 2 }, { id: 3 });

    expect(await handler(event)).toEqual({ batchItemFailures: [{ itemIdentifier: event.Records[1]?.messageId }] });
    expect(handled).toEqual([1, 3]);
  });

  it.each(['not JSON', '', { id: 'one' }, { id: 1.5 }, [], null])('reports a message that is %j', async (body) => {
    const handle = vi.fn();
    const event = sqsEvent({ id: 1 }, body);
    const { batchItemFailures } = await consume({ message, deps: () => ({}), handle })(event);

    expect(batchItemFailures).toEqual([{ itemIdentifier: event.Records[1]?.messageId }]);
    expect(handle).toHaveBeenCalledTimes(1);
  });

  it('reports them one by one even when all of them fail', async () => {
    const event = sqsEvent('x', 'y');
    const { batchItemFailures } = await consume({ message, deps: () => ({}), handle: vi.fn() })(event);
    expect(batchItemFailures).toHaveLength(2);
  });

  it('handles the messages of a batch at the same time', async () => {
    const gate = Promise.withResolvers<void>();
    let waiting = 0;
    const handler = consume({
      message,
      deps: () => ({}),
      handle: async () => {
        waiting += 1;
        if (waiting === 3) gate.resolve();
        await gate.promise;
      },
    });
    expect(await handler(sqsEvent({ id: 1 }, { id: 2 }, { id: 3 }))).toEqual({ batchItemFailures: [] });
  });

  it('makes what it works with when a message comes, not before', async () => {
    const deps = vi.fn(() => ({}));
    const handler = consume({ message, deps, handle: async () => {} });
    expect(deps).not.toHaveBeenCalled();
    await handler(sqsEvent({ id: 1 }));
    expect(deps).toHaveBeenCalled();
  });

  it('of the bus finds the event in its envelope', async () => {
    const handle = vi.fn(async () => {});
    const body = { version: '0', 'detail-type': 'x', source: 'y', detail: { id: 7 } };
    await consume({ message: busMessage(message), deps: () => ({}), handle })(sqsEvent(body));
    expect(handle).toHaveBeenCalledWith({ detail: { id: 7 } }, {}, expect.anything());
  });
});
