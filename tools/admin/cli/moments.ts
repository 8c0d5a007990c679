import { AsyncLocalStorage } from 'node:async_hooks';

/** Times for people. A reading shows them in one time zone, which it names once. */

/** `2026-11-21 03:12:04 UTC`, from ISO 8601. */
export const moment = (at: string): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/**
 * Rewrites the ISO 8601 instants in a sentence of an operation or of the audit trail, as {@link moment} writes them.
 */
export const withMoments = (text: string) => text.replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, moment);

/** The time zones that the text of the running command needs, other than UTC. */
const zonesToName = new AsyncLocalStorage<Set<string>>();

/** `2026-11-20 22:12:04 EST`, from ISO 8601. For UTC, the form of {@link moment}. {@link readMoments} names the zone. */
export function localMoment(at: string, timeZone: string): string {
  if (timeZone === 'UTC') return moment(at);
  zonesToName.getStore()?.add(timeZone);
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' },
    hourCycle: 'h23',
    timeZoneName: 'short',
  });
  const parts = Object.fromEntries(format.formatToParts(new Date(at)).map(({ type, value }) => [type, value]));
  const { year, month, day, hour, minute, second, timeZoneName } = parts;
  return `${year}-${month}-${day} ${hour}:${minute}:${second} ${timeZoneName}`;
}

/** A text, and the sentence that names the time zone of its times; undefined when all are in UTC. */
interface Read<Result> {
  readonly result: Result;
  readonly zoneSentence: string | undefined;
}

/** Makes a text that contains times, in as many functions as it needs, and names the time zone of the times once. */
export async function readMoments<Result>(read: () => Promise<Result>): Promise<Read<Result>> {
  const zones = new Set<string>();
  const result = await zonesToName.run(zones, read);
  return { result, zoneSentence: zones.size === 0 ? undefined : `Times are in ${[...zones].join(' and ')}.` };
}
