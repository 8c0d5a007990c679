import { createRouter } from '@tanstack/react-router';
import { queryClient } from './api/query-client.ts';
import { routeTree } from './route-tree.gen.ts';
import { FailedSection } from './shell/failed-section.tsx';
import { NotFoundSection } from './shell/not-found-section.tsx';

/** The places of the application. `preload: intent` loads a page's code when its link is pointed at or focused. */
export const router = createRouter({
  routeTree,
  context: { queryClient },
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultErrorComponent: FailedSection,
  defaultNotFoundComponent: NotFoundSection,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
