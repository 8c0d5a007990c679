import type { Organisation } from '../../domain/organisation.ts';
import type { Post } from '../../domain/staff/staff.ts';
import { Organisations } from '../../store/organisation/organisations.ts';
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
