import { parseAbsolute } from '@internationalized/date';
import { zoneText } from '../text/times.ts';

const hourMs = 60 * 60 * 1_000;
const dayMs = 24 * hourMs;
/** Without an end, the clock changes of the next year are said. */
const horizonMs = 366 * dayMs;

/**
 * The days on which the clocks of a zone change while a campaign runs: "Clocks change on 8 Mar 2026." Empty when they do
 * not change.
 *
 * @param from null for a campaign that starts with its approval. Changes before `now` are left out
 * @param to null for a campaign without an end
 */
export function clockChangesBetween(from: string | null, to: string | null, timeZone: string, now: Date): string {
  const start = Math.max(now.getTime(), from === null ? 0 : Date.parse(from));
  const end = Math.min(to === null ? Number.POSITIVE_INFINITY : Date.parse(to), start + horizonMs);
  const days: string[] = [];
  const day = new Intl.DateTimeFormat('en-GB', { timeZone, day: 'numeric', month: 'short', year: 'numeric' });
  for (let time = start; time + dayMs <= end; time += dayMs) {
    if (offsetAt(time, timeZone) !== offsetAt(time + dayMs, timeZone))
      days.push(day.format(changeAfter(time, timeZone)));
  }
  return days.length === 0 ? '' : `Clocks of ${zoneText(timeZone)} change on ${days.join(' and ')}.`;
}

/** The beginning of a day in a zone, some days after an instant. By ISO 8601. */
export function midnightAfter(days: number, from: string, timeZone: string): string {
  const day = parseAbsolute(new Date(from).toISOString(), timeZone).add({ days });
  const midnight = day.set({ hour: 0, minute: 0, second: 0, millisecond: 0 });
  return new Date(midnight.toAbsoluteString()).toISOString();
}

/** The first hour after which the clock of a zone differs. */
function changeAfter(time: number, timeZone: string): number {
  const before = offsetAt(time, timeZone);
  let hour = time;
  while (offsetAt(hour, timeZone) === before) hour += hourMs;
  return hour;
}

function offsetAt(time: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  return format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? '';
}
