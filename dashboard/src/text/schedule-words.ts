import { dayText } from './times.ts';

interface Schedule {
  readonly starts_at: string | null;
  readonly ends_at: string | null;
  readonly partnership: { readonly time_zone: string };
}

/** `1 Mar – 31 May`, `from 1 Dec`, in the zone of the partnership. */
export function scheduleText({ starts_at, ends_at, partnership: { time_zone } }: Schedule, now: Date): string {
  const start = starts_at === null ? null : dayText(starts_at, now, time_zone);
  // An end is excluded: a campaign that ends at midnight ran until the day before.
  const end = ends_at === null ? null : dayText(new Date(Date.parse(ends_at) - 1).toISOString(), now, time_zone);
  if (start !== null && end !== null) return `${start} – ${end}`;
  if (start !== null) return `from ${start}`;
  return end === null ? 'starts when approved' : `until ${end}`;
}
