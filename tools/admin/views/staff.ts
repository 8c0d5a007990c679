import { roleWords } from '../../../shared/domain/staff/roles.ts';
import type { Employment } from '../../../shared/operations/staff/manage-staff.ts';
import { moment } from '../cli/moments.ts';
import { listed, namedId } from '../cli/text.ts';
import { viewOf } from '../cli/view.ts';

/** The names of organisations, by their ids. */
type Names = (organisationId: number) => string;

/** A person who works with the dashboard, for scripts and for people. */
export const staffView = viewOf<Employment, Names>()({
  id: { head: 'id', json: ({ staff }) => staff.id, cell: ({ staff }) => staff.id },
  email: { head: 'e-mail', json: ({ staff }) => staff.email, cell: ({ staff }) => staff.email },
  name: { head: 'name', json: ({ staff }) => staff.name, cell: ({ staff }) => staff.name },
  organisations: {
    head: 'organisations',
    json: ({ posts }) => posts.map(({ organisationId, roles }) => ({ organisationId, roles })),
    cell: ({ posts }, nameOf) =>
      posts.length > 0
        ? listed(
            posts.map(
              ({ organisationId, roles }) => `${namedId(organisationId, nameOf(organisationId))}: ${roleWords(roles)}`,
            ),
          )
        : null,
  },
  hasIdentity: {
    head: 'sign-in',
    json: ({ staff }) => staff.identity !== null,
    cell: ({ staff }) => (staff.identity ? 'set up' : 'waits for the next sign-in'),
  },
  createdAt: {
    head: 'since',
    json: ({ staff }) => staff.createdAt,
    cell: ({ staff }) => moment(staff.createdAt),
  },
});
