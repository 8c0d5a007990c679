import { createFileRoute, redirect } from '@tanstack/react-router';
import { sessionQuery } from '../api/session.ts';
import { MessagePage } from '../parts/message-page.tsx';
import { lastOrganisation } from '../shell/last-organisation.ts';

/** Leads to the Home of the organisation in which the person was last. */
export const Route = createFileRoute('/')({
  beforeLoad: async ({ context: { queryClient } }) => {
    const session = await queryClient.ensureQueryData(sessionQuery);
    if (session === null) throw redirect({ to: '/sign-in' });
    const [first] = session.organisations;
    const organisation = session.organisations.find(({ id }) => id === lastOrganisation.get()) ?? first;
    if (organisation) throw redirect({ to: '/$organisation', params: { organisation: String(organisation.id) } });
  },
  component: NoOrganisation,
});

function NoOrganisation() {
  return (
    <MessagePage title="You belong to no organisation">
      An owner of your organisation has to invite you. Open the link of the invitation when you have it.
    </MessagePage>
  );
}
