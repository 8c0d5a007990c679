/** The time zone of the person's device. */
export const ownTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** `New York` for `America/New_York`. */
export const zoneText = (timeZone: string): string => timeZone.split('/').at(-1)?.replaceAll('_', ' ') ?? timeZone;

/** The parts of an instant in a time zone, as people of that zone read them. */
function partsOf(instant: Date, timeZone: string) {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const of = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  const day = `${of.get('day')} ${of.get('month')}`;
  return { day, year: of.get('year') ?? '', time: `${of.get('hour')}:${of.get('minute')}` };
}

/** `today 14:02`, `yesterday 09:30`, `12 Mar 2027, 09:00`, in a time zone; by default in the person's. */
export function instantText(iso: string, now: Date, timeZone: string = ownTimeZone()): string {
  const { day, year, time } = partsOf(new Date(iso), timeZone);
  const isOn = (other: Date) => {
    const parts = partsOf(other, timeZone);
    return parts.day === day && parts.year === year;
  };
  if (isOn(now)) return `today ${time}`;
  if (isOn(new Date(now.getTime() - dayMs))) return `yesterday ${time}`;
  if (isOn(new Date(now.getTime() + dayMs))) return `tomorrow ${time}`;
  return `${dayText(iso, now, timeZone)}, ${time}`;
}

/** `12 Mar` in the present year, `12 Mar 2027` in another. */
export function dayText(iso: string, now: Date, timeZone: string = ownTimeZone()): string {
  const { day, year } = partsOf(new Date(iso), timeZone);
  return year === partsOf(now, timeZone).year ? day : `${day} ${year}`;
}

/** The instant in full, with its zone: for whoever needs it exactly. */
export const exactInstantText = (iso: string, timeZone: string = ownTimeZone()): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long', timeZone }).format(new Date(iso));

const dayMs = 24 * 60 * 60 * 1_000;
