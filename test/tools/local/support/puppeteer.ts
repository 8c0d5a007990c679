import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { close, listen, toUrl } from '../../../../tools/local/ports.ts';

/** The report of a function of the fixture (a puppet) about its invocation. */
export interface PuppetCall {
  /** The function's name within the fixture: `Endpoint`, `Worker`, … */
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  readonly event: any;
  readonly context: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
}

/** The next action of the puppet. */
export interface PuppetAction {
  readonly return?: unknown;
  readonly throw?: string;
  /** Never returns, but does not block its thread. */
  readonly hang?: boolean;
  /** Never returns and blocks its thread. */
  readonly spin?: boolean;
  readonly log?: string;
  /** Adds the remaining milliseconds of the invocation to the result. */
  readonly readRemaining?: boolean;
  /** A call with the SDK's DynamoDB client. */
  readonly sdk?: { readonly command: string; readonly input: object };
  readonly dynamodb?: readonly { readonly operation: string; readonly input: object }[];
}

/** Controls the fixture's functions and records their invocations. */
export interface Puppeteer {
  readonly url: string;
  readonly calls: PuppetCall[];
  /** Sets what puppets do, and clears the recorded calls. */
  play(script: (call: PuppetCall) => PuppetAction | Promise<PuppetAction>): void;
  /** Waits for `count` calls for which `fits` returns true. */
  until(count: number, fits?: (call: PuppetCall) => boolean): Promise<PuppetCall[]>;
  stop(): Promise<void>;
}

export async function startPuppeteer(): Promise<Puppeteer> {
  const calls: PuppetCall[] = [];
  const watchers = new Set<() => void>();
  let script: (call: PuppetCall) => PuppetAction | Promise<PuppetAction> = () => ({});
  const server = createServer(async (request, response) => {
    const call: PuppetCall = JSON.parse(await text(request));
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
