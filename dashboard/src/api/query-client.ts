import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

/** Another attempt can only help when the network or the server failed. A refusal stays a refusal. */
function isWorthAnotherAttempt(failures: number, error: Error): boolean {
  return failures < 2 && error instanceof ApiError && error.isPassing;
}

/** The cache of what the server replied. */
export const queryClient = new QueryClient({
  defaultOptions: {
    // Without a network a call fails at once, so that the person sees it: otherwise it would wait without a word.
    queries: { retry: isWorthAnotherAttempt, staleTime: 15_000, networkMode: 'always', refetchOnReconnect: true },
    mutations: { retry: false, networkMode: 'always' },
  },
});
