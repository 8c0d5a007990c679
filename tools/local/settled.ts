import { setTimeout as sleep } from 'node:timers/promises';
import type { EventSource } from './lambda/event-source-mapping.ts';
import type { Lambda } from './lambda/lambda.ts';

/** The parts of a platform that can have work to do. */
export interface WorkingParts {
  readonly lambda: Pick<Lambda, 'begunCount' | 'listBusy'>;
  readonly sources: readonly EventSource[];
  /** Services that deliver in the background, by name. */
  readonly services: Readonly<Record<string, { isBusy(): boolean }>>;
}

const pollMs = 10;

/**
 * Waits until a platform has no work:
 * - No invocation runs.
 * - Nothing is on its way to a target.
 * - The queues that functions receive from contain no visible message.
 * - The streams are read to their ends.
 *
 * Work for a later time does not count: delayed messages, failed messages until their visibility timeout, schedules and
 * retries.
 *
 * @throws Error that lists the work when the platform is busy after `limitMs` of the machine's time
 */
export async function waitUntilSettled(parts: WorkingParts, limitMs: number): Promise<void> {
  const deadlineMs = performance.now() + limitMs;
  let quiet: { readonly sinceMs: number; readonly begunCount: number } | undefined;
  for (;;) {
    const { begunCount } = parts.lambda;
    // A function that ran since the last check may have written to a stream that was already read. So the quiet time
    // is counted from zero again.
    if (quiet?.begunCount !== begunCount) quiet = undefined;
    const work = listWork(parts, quiet?.sinceMs ?? performance.now());
    if (quiet && work.length === 0) return;
    if (listWork({ ...parts, sources: [] }, 0).length > 0) quiet = undefined;
    else quiet ??= { sinceMs: performance.now(), begunCount };

    if (performance.now() > deadlineMs) throw new Error(`the platform is still busy: ${work.join(', ')}`);
    await sleep(pollMs);
  }
}

function listWork({ lambda, sources, services }: WorkingParts, sinceMs: number): string[] {
  return [
    ...lambda.listBusy(),
    ...Object.entries(services).flatMap(([name, service]) => (service.isBusy() ? [name] : [])),
    ...sources.filter((source) => !source.isDrained(sinceMs)).map(({ name }) => name),
  ];
}
