import { Agent, request } from 'node:http';
import { serve } from '../child-process.ts';
import { type BenchEvent, bodyOf, signedHeaders, Topics } from '../event.ts';

interface Endpoint {
  readonly url: URL;
  readonly key: Buffer;
}

interface Work {
  readonly event: BenchEvent;
  readonly endpoint: Endpoint;
}

const agent = new Agent({ keepAlive: true });
const topics = new Topics<Endpoint>();
const waiting: Work[] = [];
let next = 0;
let free = 0;

/** Posts in the order of arrival, with at most the allowed number of requests at a time. */
function startWork(): void {
  for (; free > 0 && next < waiting.length; free -= 1) {
    const work = waiting[next];
    next += 1;
    if (work) post(work);
  }
  if (next < waiting.length) return;
  waiting.length = 0;
  next = 0;
}

function post({ event, endpoint: { url, key } }: Work): void {
  const body = bodyOf(event);
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...signedHeaders(key, { id: event.id, body, atMs: Date.now() }),
  };
  const end = (): void => {
    free += 1;
    startWork();
  };
  request(url, { method: 'POST', agent, headers }, (response) => response.resume().on('end', end))
    .on('error', end)
    .end(body);
}

const api = {
  start: (concurrency: number): void => {
    free = concurrency;
  },
  register: ({ url, topic, key }: { url: string; topic: string; key: string }): void =>
    topics.add(topic, { url: new URL(url), key: Buffer.from(key) }),
  publish: (events: readonly BenchEvent[]): void => {
    waiting.push(...topics.fanOut(events));
    startWork();
  },
};

/** The functions of this process that the sender `ceiling.ts` calls. */
export type CeilingApi = typeof api;

serve(api);
