import { isDeepStrictEqual } from 'node:util';
import { ChangedMeanwhileError, type LastChange } from '../../domain/errors.ts';
import type { Invitation } from '../../domain/staff/invitation.ts';
import { roleWords, type StaffRole } from '../../domain/staff/roles.ts';
import type { Post } from '../../domain/staff/staff.ts';
import type { Invitations } from '../../store/staff/invitations.ts';
import { changedPostWrites, People, type Person, postDeletions } from '../../store/staff/people.ts';
import {
  LastOwnerError,
  NotFoundError,
  NotPermittedError,
  ChangedMeanwhileError as PersonChangedError,
  type Subject,
} from '../errors.ts';
import type { Deps } from '../operation.ts';
import { type AuditedDeps, writeAudited } from '../write-audited.ts';
import { authorChecks } from './author-checks.ts';
import { requireRoles } from './invite-person.ts';

export const managePeopleStores = { people: People };
export type ManagePeopleDeps = AuditedDeps<typeof managePeopleStores>;

/** The people of an organisation, and those who are invited. */
export interface Staffing {
  readonly people: readonly Person[];
  /** The newest first. Some may be over. */
  readonly invitations: readonly Invitation[];
}

/** Lists who works for an organisation, and who is invited. */
export async function listPeople(
  organisationId: number,
  { people, invitations }: Deps<{ people: typeof People; invitations: typeof Invitations }>,
): Promise<Staffing> {
  const [found, invited] = await Promise.all([
    people.peopleOf(organisationId),
    invitations.ofOrganisation(organisationId),
  ]);
  return { people: found, invitations: invited };
}

/** Other roles for a person of an organisation. */
export interface RoleChange {
  readonly organisationId: number;
  readonly staffId: string;
  /** At least one. */
  readonly roles: readonly StaffRole[];
  /** The revision of the post that the author saw. */
  readonly revision: number;
}

/**
 * Gives a person other roles. They count from the next request on.
 *
 * @throws NotFoundError when the person does not belong to the organisation
 * @throws ChangedMeanwhileError when the post has another revision
 * @throws LastOwnerError; InvalidInputError without a role; NotPermittedError when the author lost the roles meanwhile
 */
export async function changeRoles(change: RoleChange, deps: ManagePeopleDeps): Promise<Person> {
  const { staff, post: before } = await requirePerson(change, deps);
  const roles = requireRoles(change.roles);
  if (before.revision !== change.revision) throw new ChangedMeanwhileError(await lastChangeOf(before, deps));
  requireSameRoles(before, deps);
  const after = { ...before, roles, ...changedNow(deps) };
  await writeAudited(
    {
      what: `gave person ${staff.id} the roles ${roleWords(roles)}`,
      change: { before: { roles: before.roles }, after: { roles } },
      writes: [...authorChecks(deps, staff.id), ...changedPostWrites(before, after, new LastOwnerError())],
      conflict: () => new PersonChangedError(subjectOf(staff.id)),
    },
    deps,
  );
  return { staff, post: { ...after, revision: before.revision + 1 } };
}

/**
 * Requires that a person who changes the own roles still has those that allow it. The write depends on the revision of
 * the post that was read.
 *
 * @throws NotPermittedError when the roles were changed after the request began
 */
function requireSameRoles({ staffId, roles }: Post, { author }: ManagePeopleDeps): void {
  const staff = author?.staff;
  if (staff?.staffId === staffId && !isDeepStrictEqual(staff.roles, roles)) throw new NotPermittedError();
}

/** The end of a person's work for an organisation. */
export interface Removal extends Pick<RoleChange, 'organisationId' | 'staffId'> {
  /** The revision of the post that the author saw; undefined to end any. */
  readonly revision?: number | undefined;
}

/**
 * Removes a person from an organisation: another one, or oneself. The person has no access from the next request on,
 * and stays signed in to other organisations.
 *
 * @throws NotFoundError when the person does not belong to the organisation
 * @throws ChangedMeanwhileError when the post has another revision
 * @throws LastOwnerError; NotPermittedError when the author lost the roles meanwhile
 */
export async function removePerson(
  { organisationId, staffId, revision }: Removal,
  deps: ManagePeopleDeps,
): Promise<Person> {
  const person = await requirePerson({ organisationId, staffId }, deps);
  const { post } = person;
  if (revision !== undefined && revision !== post.revision) {
    throw new ChangedMeanwhileError(await lastChangeOf(post, deps));
  }
  const isLeaving = deps.author?.staff?.staffId === staffId;
  await writeAudited(
    {
      what: isLeaving ? 'left the organisation' : `removed person ${staffId}`,
      change: { before: { roles: post.roles }, after: null },
      writes: [...authorChecks(deps, staffId), ...postDeletions(post, new LastOwnerError())],
      conflict: () => new PersonChangedError(subjectOf(staffId)),
    },
    deps,
  );
  return person;
}

const subjectOf = (staffId: string): Subject => ({ kind: 'person', id: staffId });

async function requirePerson(
  { organisationId, staffId }: Pick<RoleChange, 'organisationId' | 'staffId'>,
  { people }: ManagePeopleDeps,
): Promise<Person> {
  const person = await people.findPerson(organisationId, staffId);
  if (!person) throw new NotFoundError(subjectOf(staffId));
  return person;
}

/** The author and the time of a change, for the thing that is changed. */
export const changedNow = ({ author, now }: Pick<AuditedDeps, 'author' | 'now'>) => ({
  changedBy: author?.staff?.staffId ?? null,
  changedAt: now().toISOString(),
});

/** The last change of a thing, with the name of the person who made it. */
export async function lastChangeOf(
  { revision, changedBy, changedAt }: { revision: number; changedBy: Post['changedBy']; changedAt: string | null },
  { people }: Deps<typeof managePeopleStores>,
): Promise<LastChange> {
  const staff = changedBy === null ? undefined : await people.find(changedBy);
  return { revision, by: staff ? (staff.name ?? staff.email) : null, at: changedAt };
}
