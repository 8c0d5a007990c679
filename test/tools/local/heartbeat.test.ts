import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { watch } from '../../../tools/local/dynamodb/heartbeat.ts';

let server: Server;
let end: () => void;
afterEach(() => {
  end();
  server.closeAllConnections();
  server.close();
});

/** Watches a service that answers with the statuses in turn, and then with the last one. Null is no answer. */
async function watchService(...statuses: (number | null)[]) {
  let asked = 0;
  server = createServer((_request, reply) => {
    const status = statuses[Math.min(asked, statuses.length - 1)] ?? null;
    asked += 1;
    if (status !== null) reply.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const onLost = vi.fn();
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  end = watch(endpoint, onLost, { everyMs: 1, timeoutMs: 200, failures: 3 });
  return { onLost, asked: () => asked };
}

describe('the heartbeat of DynamoDB Local', () => {
  it.each([
    ['answers every request with 500', 500],
    ['does not answer', null],
  ])('ends the platform when it %s', async (_, status) => {
    const { onLost, asked } = await watchService(400, status);

    await vi.waitFor(() => expect(onLost).toHaveBeenCalledTimes(1), 5_000);
    expect(asked()).toBe(4);
  });

  it('forgives single failures, and ends with the platform', async () => {
    const { onLost, asked } = await watchService(500, 500, 400, 500, 500, 400);

    await vi.waitFor(() => expect(asked()).toBeGreaterThan(10), 5_000);
    end();
    expect(onLost).not.toHaveBeenCalled();
  });
});
