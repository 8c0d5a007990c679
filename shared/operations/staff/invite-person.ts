import { maximumCount, validityMs } from '../../contracts/limits.ts';
import { InvalidInputError } from '../../domain/errors.ts';
import { type Invitation, isInvitationOpen } from '../../domain/staff/invitation.ts';
import { roleWords, type StaffRole, sortRoles } from '../../domain/staff/roles.ts';
import { emailOf, maskEmail } from '../../domain/staff/staff.ts';
import {
  Invitations,
  invitationDeletions,
  newInvitationWrites,
  sentAgainWrites,
} from '../../store/staff/invitations.ts';
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
 * on. Only a person with exactly this verified address can accept, once, until the invitation is over.
 *
 * @throws InvalidInputError when the address is none, or there is no role
 * @throws AlreadyExistsError when the address belongs to a person of the organisation, or is invited already
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
  if (earlier && isInvitationOpen(earlier, deps.now())) throw new AlreadyExistsError({ kind: 'invitation', id: email });
  if (invitations.length >= maximumCount.openInvitations) throw new TooManyInvitationsError();

  const invitation = newInvitation({ organisationId, email, roles }, deps);
  await writeAudited(
    {
      what: `invited ${maskEmail(email)} as ${roleWords(roles)}: invitation ${invitation.id}`,
      change: { before: null, after: { roles } },
      writes: [
        ...authorChecks(deps),
        ...(earlier ? invitationDeletions(earlier) : []),
        ...newInvitationWrites(invitation),
      ],
      conflict: () => new ChangedMeanwhileError({ kind: 'invitation', id: email }),
    },
    deps,
  );
  return invitation;
}

/**
 * Makes an invitation valid for the full time again, with the same roles.
 *
 * @throws NotFoundError when there is none, or it was accepted or withdrawn
 */
export async function sendInvitationAgain(
  { organisationId, id }: Pick<Invitation, 'organisationId' | 'id'>,
  deps: InvitePersonDeps,
): Promise<Invitation> {
  const before = await findInvitation({ organisationId, id }, deps);
  const again = { ...before, expiresAt: expiryAfter(deps.now()), revision: before.revision + 1 };
  await writeAudited(
    {
      what: `sent invitation ${id} of ${maskEmail(before.email)} again`,
      writes: [...authorChecks(deps), ...sentAgainWrites(before, again)],
      conflict: (found) => conflictOf(id, found !== null),
    },
    deps,
  );
  return again;
}

/**
 * Withdraws an invitation.
 *
 * @throws NotFoundError when there is none, or it was accepted or withdrawn
 */
export async function withdrawInvitation(
  { organisationId, id }: Pick<Invitation, 'organisationId' | 'id'>,
  deps: InvitePersonDeps,
): Promise<Invitation> {
  const invitation = await findInvitation({ organisationId, id }, deps);
  await writeAudited(
    {
      what: `withdrew invitation ${id} of ${maskEmail(invitation.email)}`,
      writes: [...authorChecks(deps), ...invitationDeletions(invitation)],
      conflict: (found) => conflictOf(id, found !== null),
    },
    deps,
  );
  return invitation;
}

const subjectOf = (id: string): Subject => ({ kind: 'invitation', id });

const conflictOf = (id: string, isStillThere: boolean) =>
  isStillThere ? new ChangedMeanwhileError(subjectOf(id)) : new NotFoundError(subjectOf(id));

async function findInvitation(
  { organisationId, id }: Pick<Invitation, 'organisationId' | 'id'>,
  { invitations }: InvitePersonDeps,
): Promise<Invitation> {
  const found = await invitations.find(organisationId, id);
  if (!found) throw new NotFoundError(subjectOf(id));
  return found;
}

function newInvitation(
  wanted: Pick<Invitation, 'organisationId' | 'email' | 'roles'>,
  { now, nextUuid, author }: InvitePersonDeps,
): Invitation {
  const at = now();
  return {
    ...wanted,
    ...{ id: nextUuid(), invitedBy: author?.staff?.staffId ?? null },
    ...{ createdAt: at.toISOString(), expiresAt: expiryAfter(at), revision: 1 },
  };
}

const expiryAfter = (at: Date) => new Date(at.getTime() + validityMs.staffInvitation).toISOString();

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
