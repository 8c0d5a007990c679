import { parseAbsolute, parseDateTime, toCalendarDateTime, toZoned } from '@internationalized/date';

/** `2027-03-01T09:00`: an instant as the clock of a zone shows it. */
export function wallTimeAt(iso: string, timeZone: string): string {
  return toCalendarDateTime(parseAbsolute(new Date(iso).toISOString(), timeZone))
    .toString()
    .slice(0, 'yyyy-mm-ddThh:mm'.length);
}

/**
 * The instant at which the clock of a zone shows a time. Of a time that a clock change repeats it is the first, and a
 * time that a clock change leaves out is the one after it.
 */
export const instantAt = (wallTime: string, timeZone: string): string =>
  toZoned(parseDateTime(wallTime), timeZone, 'compatible').toAbsoluteString();
