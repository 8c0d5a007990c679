import { createFileRoute, notFound, Outlet, redirect } from '@tanstack/react-router';
import { sessionQuery } from '../../api/session.ts';
import { PageSkeleton } from '../../parts/page-skeleton.tsx';
import { FailedPage } from '../../shell/failed-page.tsx';
import { lastOrganisation } from '../../shell/last-organisation.ts';
import { NotFoundPage } from '../../shell/not-found-page.tsx';
import { Shell } from '../../shell/shell.tsx';

/** All screens of an organisation. They are shown to its people only; a stranger sees the same as for none such. */
export const Route = createFileRoute('/$organisation')({
  beforeLoad: async ({ context: { queryClient }, params, location }) => {
    const session = await queryClient.ensureQueryData(sessionQuery);
    if (session === null) throw redirect({ to: '/sign-in', search: { return_to: location.href } });
    const organisation = session.organisations.find(({ id }) => String(id) === params.organisation);
    if (!organisation) throw notFound();
    lastOrganisation.set(organisation.id);
    return { session, organisation };
  },
  component: Organisation,
  pendingComponent: PageSkeleton,
  errorComponent: ({ error, reset }) => <FailedPage error={error} retry={reset} />,
  notFoundComponent: NotFoundPage,
});

function Organisation() {
  const { session, organisation } = Route.useRouteContext();
  return (
    <Shell session={session} organisation={organisation}>
      <Outlet />
    </Shell>
  );
}
