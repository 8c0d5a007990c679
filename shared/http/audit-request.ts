import * as z from 'zod/mini';
import { described } from '../contracts/described.ts';
import { maximumCharacters } from '../contracts/limits.ts';
import type { AuditFilter } from '../operations/staff/list-audit.ts';

const month = z.string().check(z.regex(/^\d{4}-(0[1-9]|1[0-2])$/, { error: 'is not a month such as 2026-11' }));
const word = z.string().check(z.maxLength(maximumCharacters.text));

/** The parameters that choose entries of an audit trail. */
export const auditQuery = {
  month: described('The month in UTC, such as 2026-11; by default the present one.', z.optional(month)),
  person_id: described('Only acts of the person with this UUID.', z.optional(word)),
  act: described('Only acts of this kind, such as `change roles`.', z.optional(word)),
  outcome: described('Only acts with this outcome.', z.optional(z.enum(['done', 'refused']))),
};
const AuditQuery = z.object(auditQuery);

/** The filter that a query stands for. */
export const auditFilterOf = (
  organisationId: number,
  { month: given, person_id: staffId, act, outcome }: z.infer<typeof AuditQuery>,
  now: Date,
): AuditFilter => ({
  organisationId,
  month: given ?? now.toISOString().slice(0, 'yyyy-mm'.length),
  ...{ staffId, act, outcome },
});
