import * as z from 'zod/mini';
import { described } from '../../contracts/described.ts';
import type { Invitation } from '../../domain/staff/invitation.ts';
import { StaffRole } from '../../domain/staff/roles.ts';
import type { NamedAuditEntry } from '../../operations/staff/list-audit.ts';
import type { Person } from '../../store/staff/people.ts';

const roles = described('The roles in the organisation.', z.array(StaffRole));

/** A person of an organisation, for colleagues. */
export const ColleagueView = z.object({
  id: described('UUID of the person.', z.string()),
  email: described('The verified address.', z.string()),
  name: described('The name; null if the issuer reports none.', z.nullable(z.string())),
  roles,
  revision: described('Revision of the roles, for `If-Match`.', z.int()),
  created_at: described('Since when the person belongs to the organisation.', z.string()),
});

export const colleagueView = ({ staff, post }: Person): z.input<typeof ColleagueView> => ({
  id: staff.id,
  email: staff.email,
  name: staff.name,
  roles: post.roles,
  revision: post.revision,
  created_at: post.createdAt,
});

/** An invitation to an organisation. */
export const InvitationView = z.object({
  id: described('UUID of the invitation.', z.string()),
  email: described('The address that is invited.', z.string()),
  roles,
  revision: described('Counts how often it was sent; for `If-Match`.', z.int()),
  expires_at: described('Until when it can be accepted.', z.string()),
});

export const invitationView = ({
  id,
  email,
  roles: offered,
  revision,
  expiresAt,
}: Invitation): z.input<typeof InvitationView> => ({ id, email, roles: offered, revision, expires_at: expiresAt });

const snapshot = z.nullable(z.record(z.string(), z.unknown()));

/** What a person did, or was refused. */
export const AuditEntryView = z.object({
  id: described('UUID of the entry.', z.string()),
  at: described('When it happened.', z.string()),
  person_id: described('UUID of the person.', z.string()),
  person: described(
    'The person; null if the person was removed from the platform.',
    z.nullable(z.object({ id: z.string(), email: z.string(), name: z.nullable(z.string()) })),
  ),
  roles: described('The roles of the person at that time.', z.array(StaffRole)),
  act: described('The kind of the act.', z.string()),
  outcome: described('Whether it was done or refused.', z.enum(['done', 'refused'])),
  what: described('The act in one sentence.', z.string()),
  change: described(
    'The changed values before and after; null where the sentence says everything.',
    z.nullable(z.object({ before: snapshot, after: snapshot })),
  ),
});

export const auditEntryView = ({ entry, staff }: NamedAuditEntry): z.input<typeof AuditEntryView> => ({
  id: entry.id,
  at: entry.at,
  person_id: entry.staffId,
  person: staff ? { id: staff.id, email: staff.email, name: staff.name } : null,
  roles: entry.roles,
  act: entry.act,
  outcome: entry.outcome,
  what: entry.what,
  change: entry.change ?? null,
});
