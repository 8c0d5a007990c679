import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** How an endpoint treats a request. */
export const behaviourNames = [
  'fast',
  '50 ms',
  '5 s',
  '500',
  '429',
  'hanging headers',
  'hanging body',
  '10 MB',
  'reset',
  /**
   * Stands for a server that is down. It resets each connection at the first request, so that requests can be counted.
   */
  'dead',
] as const;
export type Behaviour = (typeof behaviourNames)[number];

/** The behaviours that answer with 2xx in the end. Endpoints with such a behaviour must receive every event. */
const delivering: readonly Behaviour[] = ['fast', '50 ms', '10 MB'];
export const isDelivering = (behaviour: Behaviour): boolean => delivering.includes(behaviour);

/** A request that was read, with its reply. */
interface Exchange {
  readonly response: ServerResponse;
  /** To call when the request was answered with 2xx. */
  readonly answered: () => void;
}

const retryAfterSeconds = '2';
const hugeChunk = Buffer.alloc(64 * 1024, 'x');
const hugeChunks = 160;

/** Replies with 204, unless the sender has closed the connection. */
function accept({ response, answered }: Exchange): void {
  if (response.destroyed) return;
  response.writeHead(204).end();
  answered();
}

async function acceptLater(exchange: Exchange, ms: number): Promise<void> {
  await sleep(ms);
  accept(exchange);
}

/** Writes a reply of 10 MB, as fast as the sender reads it, until the sender closes the connection. */
async function writeHuge({ response, answered }: Exchange): Promise<void> {
  response.writeHead(200, { 'content-length': hugeChunk.length * hugeChunks });
  answered();
  // The sender may close the connection. That is no failure of the receiver.
  await pipeline(Array(hugeChunks).fill(hugeChunk), response).catch(() => undefined);
}

const reset = ({ response }: Exchange): void => void response.socket?.resetAndDestroy();

export const behave: Readonly<Record<Behaviour, (exchange: Exchange) => unknown>> = {
  fast: accept,
  '50 ms': (exchange) => acceptLater(exchange, 50),
  '5 s': (exchange) => acceptLater(exchange, 5_000),
  '500': ({ response }) => response.writeHead(500).end(),
  '429': ({ response }) => response.writeHead(429, { 'retry-after': retryAfterSeconds }).end(),
  'hanging headers': () => undefined,
  'hanging body': ({ response }) => response.writeHead(200, { 'content-length': 1_000 }).write('{'),
  '10 MB': writeHuge,
  reset,
  dead: reset,
};
