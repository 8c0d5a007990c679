import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { close, listen, toUrl } from '../../local/ports.ts';
import type { Body, Scale } from './scale.ts';

const contentType = 'application/x-amz-json-1.0';

/** How far DynamoDB seems to be: much more than it takes to send several calls off. */
const distanceMs = 60;

/** A way to DynamoDB Local that takes its time. */
export interface Distance {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/**
 * Puts a fixed distance before DynamoDB Local. It answers so fast that a call may be over before the one
 * beside it has left; with the distance, calls that are sent together always overlap, and the counts are
 * the same in each run. On the way back, what a transaction consumed is corrected by the scale.
 */
export async function startDistance(target: string, scale: Scale): Promise<Distance> {
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { authorization = '', 'x-amz-target': action = '' } = request.headers;
    const headers = { authorization, 'x-amz-target': String(action), 'content-type': contentType };
    const body = await text(request);
    const [answer] = await Promise.all([fetch(target, { method: 'POST', headers, body }), sleep(distanceMs)]);
    const reply = (await answer.json()) as Body;
    const weighed = answer.ok ? await scale.weigh(String(action).split('.')[1] ?? '', JSON.parse(body)) : undefined;
    response.writeHead(answer.status, { 'content-type': contentType });
    response.end(JSON.stringify(weighed ? { ...reply, ConsumedCapacity: weighed } : reply));
  };

  const server = createServer((request, response) => {
    forward(request, response).catch(() => response.destroy());
  });
  const port = await listen(server);
  return { endpoint: toUrl(port), stop: () => close(server) };
}
