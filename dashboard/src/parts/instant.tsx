import { exactInstantText, instantText, ownTimeZone, zoneText } from '../text/times.ts';

interface Props {
  /** ISO 8601. */
  readonly at: string;
  /** The zone in which the instant is meant. It is named when it is not the person's own. */
  readonly timeZone?: string;
}

/** An instant as people say it. The exact one is its title. */
export function Instant({ at, timeZone = ownTimeZone() }: Props) {
  const zone = timeZone === ownTimeZone() ? '' : ` ${zoneText(timeZone)}`;
  return (
    <time dateTime={at} title={exactInstantText(at, timeZone)}>
      {instantText(at, new Date(), timeZone)}
      {zone}
    </time>
  );
}
