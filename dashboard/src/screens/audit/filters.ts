import type { AuditEntry } from '../../api/types.ts';

/** Which entries the list shows. */
export interface AuditChoice {
  /** `2027-03`, in UTC, as the server keeps them. */
  readonly month: string;
  /** Null for everybody. */
  readonly person: string | null;
  readonly outcome: 'all' | 'done' | 'refused';
  readonly text: string;
}

/** The last twelve months, the present one first: `2027-03`. */
export function latestMonths(now: Date): string[] {
  return Array.from({ length: 12 }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toISOString().slice(0, 'yyyy-mm'.length),
  );
}

/** `March 2027` */
export const monthText = (month: string): string =>
  new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${month}-01T00:00:00Z`),
  );

/** The choice as the server's filters. */
export const queryOf = ({ month, person, outcome }: AuditChoice): Readonly<Record<string, string>> => ({
  month,
  ...(person !== null && { person_id: person }),
  ...(outcome !== 'all' && { outcome }),
});

/** The loaded entries that contain the text. */
export const withText = (entries: readonly AuditEntry[], text: string): AuditEntry[] =>
  entries.filter(({ what, act }) => `${what} ${act}`.toLowerCase().includes(text.trim().toLowerCase()));
