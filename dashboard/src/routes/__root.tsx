import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, Outlet } from '@tanstack/react-router';
import { LiveRegion } from '../parts/live-region.tsx';
import { FailedPage } from '../shell/failed-page.tsx';
import { NotFoundPage } from '../shell/not-found-page.tsx';

export const Route = createRootRouteWithContext<{ readonly queryClient: QueryClient }>()({
  component: Root,
  errorComponent: ({ error, reset }) => <FailedPage error={error} retry={reset} />,
  notFoundComponent: NotFoundPage,
});

function Root() {
  return (
    <>
      <Outlet />
      <LiveRegion />
    </>
  );
}
