import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { integerIdOf } from '../../../shared/domain/ids.ts';
import { send, toKeyHeader } from '../../demo/client.ts';
import { beQuiet } from '../../demo/narrator.ts';
import { close, listen, toUrl } from '../../local/ports.ts';
import type { Purchase, RunningPlatform } from './buyers.ts';

/** The webhooks about created transactions that the merchant receives. */
export interface Arrivals {
  /** Waits for the webhooks of purchases. Returns the milliseconds from the reply of endpoint 2 to each that came. */
  delaysOf(purchases: readonly Purchase[], waitSeconds: number): Promise<number[]>;
  close(): Promise<void>;
}

const pollMs = 100;

/** Subscribes a receiver to the merchant's created transactions. */
export async function receiveCreated({ hosts, demo }: RunningPlatform): Promise<Arrivals> {
  const arrivedAt = new Map<number, number>();
  const server = createServer(async (request, response) => {
    const at = performance.now();
    const { entity_id } = (await json(request)) as { readonly entity_id: string };
    response.writeHead(204).end();
    const id = integerIdOf(entity_id);
    if (id !== undefined && !arrivedAt.has(id)) arrivedAt.set(id, at);
  });
  beQuiet();
  await send(200, 'POST', `${hosts.notification}/webhooks/subscribe`, {
    headers: toKeyHeader(demo.merchant.apiKey),
    json: { endpoint: `${toUrl(await listen(server))}/webhooks`, event_name: 'transaction_created' },
  });
  return {
    async delaysOf(purchases, waitSeconds) {
      const endsAt = performance.now() + waitSeconds * 1_000;
      const isMissing = () => purchases.some(({ transactionId }) => !arrivedAt.has(transactionId));
      while (isMissing() && performance.now() < endsAt) await sleep(pollMs);
      return purchases.flatMap(({ transactionId, createdAt }) => {
        const at = arrivedAt.get(transactionId);
        return at === undefined ? [] : [at - createdAt];
      });
    },
    close: () => close(server),
  };
}
