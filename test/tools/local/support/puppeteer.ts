import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { close, listen, toUrl } from '../../../../tools/local/ports.ts';

/** What a puppet tells when it is invoked. */
export interface PuppetCall {
  /** The function's name within the fixture: `Endpoint`, `Worker`, … */
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  readonly event: any;
  readonly context: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
}

/** What a puppet is to do then. */
export interface Order {
  readonly return?: unknown;
  readonly throw?: string;
  /** Never answers, but leaves the thread free. */
  readonly hang?: boolean;
  /** Never answers, and never leaves the thread. */
  readonly spin?: boolean;
  readonly log?: string;
  readonly dynamodb?: readonly { readonly operation: string; readonly input: object }[];
}

/** Tells the fixture's functions what to do, and hears what they were given. */
export interface Puppeteer {
  readonly url: string;
  readonly calls: PuppetCall[];
  /** Decides what puppets do from now on. */
  play(script: (call: PuppetCall) => Order | Promise<Order>): void;
  /** Resolves once enough calls fit. */
  until(count: number, fits?: (call: PuppetCall) => boolean): Promise<PuppetCall[]>;
  stop(): Promise<void>;
}

export async function startPuppeteer(): Promise<Puppeteer> {
  const calls: PuppetCall[] = [];
  const watchers = new Set<() => void>();
  let script: (call: PuppetCall) => Order | Promise<Order> = () => ({});
  const server = createServer(async (request, response) => {
    const call = (await json(request)) as PuppetCall;
    calls.push(call);
    for (const watcher of watchers) watcher();
    response.end(JSON.stringify(await script(call)));
  });
  const port = await listen(server);

  return {
    url: toUrl(port),
    calls,
    play: (next) => {
      calls.length = 0;
      script = next;
    },
    until: (count, fits = () => true) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = calls.filter(fits);
          if (found.length < count) return;
          watchers.delete(look);
          resolve(found);
        };
        watchers.add(look);
        look();
      }),
    stop: () => close(server),
  };
}
