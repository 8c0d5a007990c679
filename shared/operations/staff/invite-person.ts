import { maximumCount, validityMs } from '../../contracts/limits.ts';
import { InvalidInputError } from '../../domain/errors.ts';
import type { Invitation } from '../../domain/staff/invitation.ts';
import { roleWords, type StaffRole, sortRoles } from '../../domain/staff/roles.ts';
import { emailOf, maskEmail } from '../../domain/staff/staff.ts';
import { Invitations, invitationDeletions, invitationWrites } from '../../store/staff/invitations.ts';
import { People } from '../../store/staff/people.ts';
import { AlreadyExistsError, ChangedMeanwhileError, NotFoundError, OperationError, type Subject } from '../errors.ts';
import { type AuditedDeps, writeAudited } from '../write-audited.ts';
import { authorChecks } from './author-checks.ts';

export const invitePersonStores = { people: People, invitations: Invitations };
export type InvitePersonDeps = AuditedDeps<typeof invitePersonStores>;

/** The person to invite. */
export interface WantedPerson {
  readonly organisationId: number;
  readonly email: string;
  /** At least one. */
  readonly roles: readonly StaffRole[];
}

/** Too many invitations of the organisation are open. */
export class TooManyInvitationsError extends OperationError {
  override readonly name = 'TooManyInvitationsError';

  constructor() {
    super(`${maximumCount.openInvitations} invitations are open: withdraw some of them first`);
  }
}

/**
 * Invites a person to an organisation. The platform sends no message: the caller passes the address of the dashboard
 * on. Only a person with exactly this verified address can accept, once, until the invitation is over. An address that
 * is invited already gets these roles, and the full time again.
 *
 * @throws InvalidInputError when the address is none, or there is no role
 * @throws AlreadyExistsError when the address belongs to a person of the organisation
 * @throws TooManyInvitationsError; NotPermittedError when the author lost the roles meanwhile
 */
export async function invitePerson(wanted: WantedPerson, deps: InvitePersonDeps): Promise<Invitation> {
  const { organisationId } = wanted;
  const [email, roles] = [requireEmail(wanted.email), requireRoles(wanted.roles)];
  const [people, invitations] = await Promise.all([
    deps.people.peopleOf(organisationId),
    deps.invitations.ofOrganisation(organisationId),
  ]);
  if (people.some(({ staff }) => staff.email === email)) throw new AlreadyExistsError({ kind: 'person', id: email });
  const earlier = invitations.find((one) => one.email === email);
  if (!earlier && invitations.length >= maximumCount.openInvitations) throw new TooManyInvitationsError();

  const invitation = newInvitation({ organisationId, email, roles }, earlier, deps);
  const verb = earlier ? 'invited again' : 'invited';
  await writeAudited(
    {
      what: `${verb} ${maskEmail(email)} as ${roleWords(roles)}: invitation ${invitation.id}`,
      change: { before: earlier ? { roles: earlier.roles } : null, after: { roles } },
      writes: [...authorChecks(deps), ...invitationWrites(invitation)],
      conflict: () => new ChangedMeanwhileError(subjectOf(email)),
    },
    deps,
  );
  return invitation;
}

/** An invitation to withdraw. */
export interface Withdrawal extends Pick<Invitation, 'organisationId' | 'id'> {
  /** The revision that the author saw; undefined to withdraw any. */
  readonly revision?: number | undefined;
}

/**
 * Withdraws an invitation.
 *
 * @throws NotFoundError when there is none, or it was accepted or withdrawn
 * @throws ChangedMeanwhileError when it was sent again meanwhile; NotPermittedError
 */
export async function withdrawInvitation(
  { organisationId, id, revision }: Withdrawal,
  deps: InvitePersonDeps,
): Promise<Invitation> {
  const invitation = await deps.invitations.find(organisationId, id);
  if (!invitation) throw new NotFoundError(subjectOf(id));
  if (revision !== undefined && revision !== invitation.revision) throw new ChangedMeanwhileError(subjectOf(id));
  await writeAudited(
    {
      what: `withdrew invitation ${id} of ${maskEmail(invitation.email)}`,
      writes: [...authorChecks(deps), ...invitationDeletions(invitation)],
      conflict: (found) => (found ? new ChangedMeanwhileError(subjectOf(id)) : new NotFoundError(subjectOf(id))),
    },
    deps,
  );
  return invitation;
}

const subjectOf = (id: string): Subject => ({ kind: 'invitation', id });

function newInvitation(
  wanted: Pick<Invitation, 'organisationId' | 'email' | 'roles'>,
  earlier: Invitation | undefined,
  { now, nextUuid, author }: InvitePersonDeps,
): Invitation {
  const at = now();
  return {
    ...wanted,
    ...{ id: earlier?.id ?? nextUuid(), invitedBy: author?.staff?.staffId ?? null },
    ...{ createdAt: earlier?.createdAt ?? at.toISOString(), revision: (earlier?.revision ?? 0) + 1 },
    expiresAt: new Date(at.getTime() + validityMs.staffInvitation).toISOString(),
  };
}

function requireEmail(text: string): string {
  const email = emailOf(text);
  if (email !== undefined) return email;
  throw new InvalidInputError([{ path: ['email'], code: 'invalid_email', message: 'must be an e-mail address' }]);
}

/** Returns roles in their order. @throws InvalidInputError when there is none */
export function requireRoles(roles: readonly StaffRole[]): StaffRole[] {
  if (roles.length > 0) return sortRoles(roles);
  throw new InvalidInputError([{ path: ['roles'], code: 'too_small', message: 'must have at least one role' }]);
}
