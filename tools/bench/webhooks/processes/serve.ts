import type { CallMessage, ReplyMessage, Spent } from './child.ts';

/**
 * Serves the calls of the process that forked this one. Each call has the name of a function of `api` and its
 * arguments. The call `stats` is always served. The process ends with its parent.
 */
export function serve(api: Readonly<Record<string, (...input: never[]) => unknown>>): void {
  process.on('disconnect', () => process.exit());
  process.on('message', ({ id, name, input }: CallMessage) => {
    const reply = (message: Omit<ReplyMessage, 'id'>) => process.send?.({ id, ...message });
    answer(api, name, input).then(
      (output) => reply({ output }),
      (error: Error) => reply({ failed: error.stack ?? error.message }),
    );
  });
}

async function answer(api: Parameters<typeof serve>[0], name: string, input: readonly unknown[]): Promise<unknown> {
  if (name === 'stats') return ownStats();
  const served = api[name];
  if (!served) throw new Error(`this process does not serve ${name}`);
  return await served(...(input as never[]));
}

/** What this process has used since its start. */
function ownStats(): Spent {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  return {
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
    memoryMb: process.memoryUsage.rss() / 2 ** 20,
    peakMb: maxRSS / 1024,
  };
}
