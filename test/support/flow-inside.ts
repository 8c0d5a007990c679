import { createServer, type Server } from 'node:http';
import { json } from 'node:stream/consumers';
import type { DynamoDbCall } from '../../tools/local/dynamodb/call.ts';
import type { ActiveFault, FaultRule } from '../../tools/local/dynamodb/faults.ts';
import type { Platform } from '../../tools/local/platform.ts';
import { close, listen, toUrl } from '../../tools/local/ports.ts';

/**
 * Gives flow tests access to the faults and internals of the platform, which runs in the process of the global setup.
 * Arguments and results travel as JSON.
 */
function insideOf(platform: Platform) {
  let faults: ActiveFault[] = [];
  return {
    invoke: async (name: string, event: unknown) => platform.invoke(name, event),
    functions: async () => platform.functions,
    clearCalls: async () => void platform.clearCalls(),
    calls: async (): Promise<readonly DynamoDbCall[]> => platform.calls(),
    /** Adds faults. */
    injectFaults: async (...rules: FaultRule[]) => void faults.push(...rules.map((rule) => platform.faults.add(rule))),
    /** Returns how often each injected fault occurred. */
    faultHits: async () => faults.map(({ hits }) => hits),
    faultSeed: async () => platform.faults.seed,
    /** Delivers every message of every queue twice. */
    duplicateQueues: async () => platform.queueFaults.duplicate(''),
    delayQueues: async (milliseconds: number) => platform.queueFaults.delay(milliseconds),
    /** Removes all faults. */
    clearFaults: async () => {
      platform.faults.clear();
      platform.queueFaults.clear();
      faults = [];
    },
  };
}

/** The internals of the platform, as the tests see them. */
export type Inside = ReturnType<typeof insideOf>;

type Operation = (...args: unknown[]) => Promise<unknown>;

/** Serves the internals to another process. */
export async function serveInside(platform: Platform): Promise<{ url: string; stop: () => Promise<void> }> {
  const operations = insideOf(platform) as unknown as Record<string, Operation>;
  const server: Server = createServer(async (request, response) => {
    const name = request.url?.slice(1) ?? '';
    try {
      const result = await operations[name]?.(...((await json(request)) as unknown[]));
      response.end(JSON.stringify({ result }));
    } catch (error) {
      response.writeHead(500).end(`${name}: ${(error as Error).message}`);
    }
  });
  const port = await listen(server);
  return { url: toUrl(port), stop: () => close(server) };
}

/** Calls the internals from another process. */
export function insideAt(address: string): Inside {
  const call = async (name: string, args: unknown[]): Promise<unknown> => {
    const response = await fetch(`${address}/${name}`, { method: 'POST', body: JSON.stringify(args) });
    if (!response.ok) throw new Error(await response.text());
    return ((await response.json()) as { result?: unknown }).result;
  };
  const operation =
    (_: object, name: string) =>
    (...args: unknown[]) =>
      call(name, args);
  return new Proxy({}, { get: operation }) as Inside;
}
