import { createFileRoute, Link, redirect } from '@tanstack/react-router';
import { sessionQuery, signInAddress } from '../api/session.ts';
import type { Session } from '../api/types.ts';
import { MessagePage } from '../parts/message-page.tsx';
import { Invitations } from '../shell/invitations.tsx';
import { lastOrganisation } from '../shell/last-organisation.ts';

/** Leads to the Home of the organisation in which the person was last, or shows what the person is invited to. */
export const Route = createFileRoute('/')({
  validateSearch: ({ invitation }): { readonly invitation?: string } =>
    typeof invitation === 'string' ? { invitation } : {},
  beforeLoad: async ({ context: { queryClient }, search: { invitation }, location }) => {
    const session = await queryClient.ensureQueryData(sessionQuery);
    if (session === null)
      throw redirect({ to: '/sign-in', search: invitation === undefined ? {} : { return_to: location.href } });
    if (invitation !== undefined) return { session };
    const [first] = session.organisations;
    const organisation = session.organisations.find(({ id }) => id === lastOrganisation.get()) ?? first;
    if (organisation) throw redirect({ to: '/$organisation', params: { organisation: String(organisation.id) } });
    return { session };
  },
  component: Start,
});

function Start() {
  const { invitation } = Route.useSearch();
  const { session } = Route.useRouteContext();
  const isOffered = session.invitations.some(({ id }) => id === invitation);
  if (invitation !== undefined && !isOffered) return <NotOffered session={session} invitation={invitation} />;
  return session.invitations.length > 0 ? <Invited session={session} /> : <NoOrganisation session={session} />;
}

function Invited({ session: { organisations, invitations } }: { readonly session: Session }) {
  return (
    <MessagePage title="You are invited" actions={organisations.length > 0 && <Link to="/">Go to Home</Link>}>
      <Invitations invitations={invitations} />
    </MessagePage>
  );
}

function NotOffered({ session, invitation }: { readonly session: Session; readonly invitation: string }) {
  return (
    <MessagePage
      title="This invitation is not open for you"
      actions={
        <>
          <a href={signInAddress(`/?invitation=${encodeURIComponent(invitation)}`, true)}>Sign in as another person</a>
          <Link to="/">Go to Home</Link>
        </>
      }
    >
      You are signed in as {session.person.email}. The invitation may be for another address, or accepted, withdrawn or
      over.
    </MessagePage>
  );
}

function NoOrganisation({ session }: { readonly session: Session }) {
  return (
    <MessagePage
      title="You belong to no organisation"
      actions={<a href={signInAddress('/', true)}>Sign in as another person</a>}
    >
      You are signed in as {session.person.email}. An owner of your organisation has to invite this address.
    </MessagePage>
  );
}
