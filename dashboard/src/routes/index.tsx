import { createFileRoute, redirect } from '@tanstack/react-router';
import { sessionQuery } from '../api/session.ts';
import { MessagePage } from '../parts/message-page.tsx';
import { AcceptInvitation } from '../shell/accept-invitation.tsx';
import { lastOrganisation } from '../shell/last-organisation.ts';

/** Leads to the Home of the organisation in which the person was last, or to the invitation of the address. */
export const Route = createFileRoute('/')({
  validateSearch: ({ invitation }): { readonly invitation?: string } =>
    typeof invitation === 'string' ? { invitation } : {},
  beforeLoad: async ({ context: { queryClient }, search: { invitation }, location }) => {
    const session = await queryClient.ensureQueryData(sessionQuery);
    if (session === null)
      throw redirect({ to: '/sign-in', search: invitation === undefined ? {} : { return_to: location.href } });
    if (invitation !== undefined) return;
    const [first] = session.organisations;
    const organisation = session.organisations.find(({ id }) => id === lastOrganisation.get()) ?? first;
    if (organisation) throw redirect({ to: '/$organisation', params: { organisation: String(organisation.id) } });
  },
  component: Start,
});

function Start() {
  const { invitation } = Route.useSearch();
  return invitation === undefined ? <NoOrganisation /> : <AcceptInvitation id={invitation} />;
}

function NoOrganisation() {
  return (
    <MessagePage title="You belong to no organisation">
      An owner of your organisation has to invite you. Open the link of the invitation when you have it.
    </MessagePage>
  );
}
