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

/** The entries that all filters let through. */
export const applyChoice = (entries: readonly AuditEntry[], { person, outcome, text }: AuditChoice): AuditEntry[] =>
  entries.filter(
    (entry) =>
      (person === null || entry.person?.id === person) &&
      (outcome === 'all' || entry.outcome === outcome) &&
      `${entry.what} ${entry.act}`.toLowerCase().includes(text.trim().toLowerCase()),
  );
