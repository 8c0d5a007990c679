import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** How an endpoint treats a request. */
export const behaviourNames = [
  'fast',
  '50 ms',
  'hanging headers',
  /**
   * Stands for a server that is down. It resets each connection at the first request, so that requests can be counted.
   */
  'dead',
] as const;
export type Behaviour = (typeof behaviourNames)[number];

/** The behaviours that answer with 2xx in the end. Endpoints with such a behaviour must receive every event. */
const delivering: readonly Behaviour[] = ['fast', '50 ms'];
export const isDelivering = (behaviour: Behaviour): boolean => delivering.includes(behaviour);

/** A request that was read, with its reply. */
interface Exchange {
  readonly response: ServerResponse;
  /** To call when the request was answered with 2xx. */
  readonly answered: () => void;
}

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

export const behave: Readonly<Record<Behaviour, (exchange: Exchange) => unknown>> = {
  fast: accept,
  '50 ms': (exchange) => acceptLater(exchange, 50),
  'hanging headers': () => undefined,
  dead: ({ response }) => response.socket?.resetAndDestroy(),
};
