import type { Organisation } from '../../domain/organisation.ts';
import type { Invitation } from '../../domain/staff/invitation.ts';
import type { Post } from '../../domain/staff/staff.ts';
import { Organisations } from '../../store/organisation/organisations.ts';
import { Invitations } from '../../store/staff/invitations.ts';
import { People } from '../../store/staff/people.ts';
import type { Deps } from '../operation.ts';

export const listPostsStores = { people: People, organisations: Organisations };

/** The place of a person in an organisation. */
export interface PostAt {
  readonly post: Post;
  readonly organisation: Organisation;
}

/** Lists where a person works, by the name of the organisation. */
export async function listPosts(
  staffId: string,
  { people, organisations }: Deps<typeof listPostsStores>,
): Promise<PostAt[]> {
  const posts = await people.postsOf(staffId);
  const found = await organisations.findMany(posts.map(({ organisationId }) => organisationId));
  return posts
    .flatMap((post) => {
      const organisation = found.find(({ id }) => id === post.organisationId);
      return organisation ? [{ post, organisation }] : [];
    })
    .sort((one, other) => one.organisation.name.localeCompare(other.organisation.name));
}

/** An invitation with the organisation that offers it. */
export interface InvitationFrom {
  readonly invitation: Invitation;
  readonly organisation: Organisation;
}

export const listOwnInvitationsStores = { invitations: Invitations, organisations: Organisations };

/** Lists the invitations that a person with this verified address can accept, the oldest first. */
export async function listOwnInvitations(
  email: string,
  { invitations, organisations, now }: Deps<typeof listOwnInvitationsStores>,
): Promise<InvitationFrom[]> {
  const [open, found] = await invitations.openWith(email, now(), (ids) => organisations.findMany(ids));
  return open.flatMap((invitation) => {
    const organisation = found.find(({ id }) => id === invitation.organisationId);
    return organisation ? [{ invitation, organisation }] : [];
  });
}
