import { validityMs } from '../../contracts/limits.ts';
import { roleWords, type StaffRole, sortRoles } from '../../domain/staff/roles.ts';
import type { Post, Staff } from '../../domain/staff/staff.ts';
import { awaitedWrite, Invitations } from '../../store/staff/invitations.ts';
import {
  identityDeletion,
  identityEndWrite,
  newPostWrites,
  People,
  postDeletions,
  resetStaffWrite,
  staffDeletion,
  staffWrite,
} from '../../store/staff/people.ts';
import { Sessions } from '../../store/staff/sessions.ts';
import { AlreadyExistsError, ChangedMeanwhileError, LastOwnerError, NotFoundError, type Subject } from '../errors.ts';
import { type AuditedDeps, type Confirmable, writeAudited } from '../write-audited.ts';

const manageStaffStores = { people: People, sessions: Sessions, invitations: Invitations };
export type ManageStaffDeps = AuditedDeps<typeof manageStaffStores>;

/** A person with all posts. */
export interface Employment {
  readonly staff: Staff;
  readonly posts: readonly Post[];
}

const subjectOf = (id: string): Subject => ({ kind: 'person', id });

/** @throws NotFoundError when nobody has the id */
export async function loadEmployment(id: string, { people }: ManageStaffDeps): Promise<Employment> {
  const [staff, posts] = await Promise.all([people.find(id), people.postsOf(id)]);
  if (!staff) throw new NotFoundError(subjectOf(id));
  return { staff, posts };
}

/**
 * Resets the identity of a person who lost the devices for signing in: it leads to nobody from now on, every session
 * ends, and the next person who proves the address with another identity is the person. Safe to repeat.
 *
 * @throws NotFoundError, ChangedMeanwhileError
 */
export async function resetIdentity(
  { id, confirm }: { readonly id: string } & Confirmable<Employment>,
  deps: ManageStaffDeps,
): Promise<Employment> {
  const employment = await loadEmployment(id, deps);
  const { staff } = employment;
  await confirm?.(employment);
  const until = new Date(deps.now().getTime() + validityMs.staffInvitation);
  await writeAudited(
    {
      what: `reset the identity of person ${id}`,
      writes: [
        resetStaffWrite(staff),
        ...(staff.identity ? [identityEndWrite(staff.identity)] : []),
        awaitedWrite(staff, until),
      ],
      conflict: () => new ChangedMeanwhileError(subjectOf(id)),
    },
    deps,
  );
  await deps.sessions.endAll(id);
  return employment;
}

/**
 * Removes a person from every organisation and deletes all data of the person. What the person did stays in the audit
 * trails, by the id. If it fails in between, a repetition continues.
 *
 * @throws NotFoundError, ChangedMeanwhileError
 * @throws LastOwnerError when the person is the last owner of an organisation
 */
export async function removeStaff(
  { id, confirm }: { readonly id: string } & Confirmable<Employment>,
  deps: ManageStaffDeps,
): Promise<Employment> {
  const employment = await loadEmployment(id, deps);
  const { staff } = employment;
  await confirm?.(employment);
  await deps.invitations.forget(staff.email);
  // Read again: until now the person could accept an invitation.
  const posts = await deps.people.postsOf(id);
  await writeAudited(
    {
      what: `removed person ${id} from ${posts.length} organisations and deleted the person's data`,
      writes: [
        staffDeletion(id),
        ...(staff.identity ? [identityDeletion(staff.identity)] : []),
        ...posts.flatMap((post) => postDeletions(post, new LastOwnerError())),
      ],
      conflict: () => new ChangedMeanwhileError(subjectOf(id)),
    },
    deps,
  );
  await deps.sessions.endAll(id);
  return { staff, posts };
}

/** A person who is added without an invitation. */
export interface Enrolment {
  readonly organisationId: number;
  /** In the form of `emailOf`. */
  readonly email: string;
  readonly name: string;
  readonly roles: readonly StaffRole[];
  /** Until then, the person who proves the address is the person. */
  readonly until: Date;
}

/** Adds a person to an organisation, for the first sign-in of whoever proves the address. */
export async function enrolPerson(
  { organisationId, email, name, roles, until }: Enrolment,
  deps: AuditedDeps,
): Promise<Staff> {
  const at = deps.now().toISOString();
  const staff: Staff = { id: deps.nextUuid(), email, name, identity: null, createdAt: at };
  const post: Post = {
    ...{ staffId: staff.id, organisationId, roles: sortRoles(roles), createdAt: at },
    ...{ revision: 1, changedBy: null, changedAt: at },
  };
  await writeAudited(
    {
      what: `added person ${staff.id} to organisation ${organisationId} as ${roleWords(roles)}`,
      writes: [staffWrite(staff), ...newPostWrites(post), awaitedWrite(staff, until)],
      conflict: () => new AlreadyExistsError(subjectOf(email)),
    },
    deps,
  );
  return staff;
}
