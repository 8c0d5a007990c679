import { maximumCount } from '../../contracts/limits.ts';
import type { Invitation } from '../../domain/staff/invitation.ts';
import { sortRoles } from '../../domain/staff/roles.ts';
import type { Post, Staff } from '../../domain/staff/staff.ts';
import { Invitations } from '../../store/staff/invitations.ts';
import { changedPostWrites, newPostWrites, People, staffCheck } from '../../store/staff/people.ts';
import { ConditionFailedError, type Write } from '../../store/table/table-client.ts';
import { NotFoundError, OperationError, type Subject } from '../errors.ts';
import { type Deps, decideAndWrite } from '../operation.ts';
import { acceptanceWrites, postOf } from './sign-in.ts';

export const acceptInvitationStores = { people: People, invitations: Invitations };
export type AcceptInvitationDeps = Deps<typeof acceptInvitationStores>;

/** The person works for too many organisations. */
export class TooManyOrganisationsError extends OperationError {
  override readonly name = 'TooManyOrganisationsError';

  constructor() {
    super(`a person works for ${maximumCount.organisationsOfPerson} organisations at most: leave another one first`);
  }
}

/**
 * Accepts an invitation for a person who is signed in. If the person belongs to the organisation already, the roles are
 * added.
 *
 * @throws NotFoundError when no such invitation of exactly the person's address is open
 * @throws TooManyOrganisationsError
 */
export async function acceptInvitation(
  { staff, invitationId }: { readonly staff: Pick<Staff, 'id' | 'email'>; readonly invitationId: string },
  deps: AcceptInvitationDeps,
): Promise<Post> {
  return decideAndWrite(
    {
      subject: `the invitation ${invitationId}`,
      load: () => findOpen(staff, invitationId, deps),
      write: async ({ invitation, posts }) => {
        const { post, writes } = takePost(invitation, { staff, posts }, deps);
        const isThere = staffCheck(staff.id, new NotFoundError(subjectOf(invitationId)));
        await deps.table.transact([...writes, ...acceptanceWrites(invitation, staff.id, deps), isThere]);
        return post;
      },
      conflicts: [ConditionFailedError],
    },
    deps,
  );
}

const subjectOf = (id: string): Subject => ({ kind: 'invitation', id });

async function findOpen(
  staff: Pick<Staff, 'id' | 'email'>,
  invitationId: string,
  { people, invitations, now }: AcceptInvitationDeps,
) {
  const [awaiting, posts] = await Promise.all([invitations.awaiting(staff.email, now()), people.postsOf(staff.id)]);
  const invitation = awaiting.invitations.find(({ id }) => id === invitationId);
  if (!invitation) throw new NotFoundError(subjectOf(invitationId));
  return { invitation, posts };
}

function takePost(
  invitation: Invitation,
  { staff, posts }: { readonly staff: Pick<Staff, 'id'>; readonly posts: readonly Post[] },
  { now }: AcceptInvitationDeps,
): { readonly post: Post; readonly writes: Write[] } {
  const fresh = postOf(invitation, staff.id, now().toISOString());
  const before = posts.find(({ organisationId }) => organisationId === invitation.organisationId);
  if (before) {
    const { changedBy, changedAt } = fresh;
    const roles = sortRoles([...before.roles, ...invitation.roles]);
    const post = { ...before, roles, changedBy, changedAt, revision: before.revision + 1 };
    return { post, writes: changedPostWrites(before, post) };
  }
  if (posts.length >= maximumCount.organisationsOfPerson) throw new TooManyOrganisationsError();
  return { post: fresh, writes: newPostWrites(fresh) };
}
