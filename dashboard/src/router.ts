import { createRouter } from '@tanstack/react-router';
import { queryClient } from './api/query-client.ts';
import { routeTree } from './route-tree.gen.ts';

/** The places of the application. `preload: intent` loads a page's code when its link is pointed at or focused. */
export const router = createRouter({
  routeTree,
  context: { queryClient },
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
