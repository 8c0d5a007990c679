import './parts/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { I18nProvider } from 'react-aria-components/I18nProvider';
import { createRoot } from 'react-dom/client';
import { ApiError } from './api/api-error.ts';
import { queryClient } from './api/query-client.ts';
import { router } from './router.ts';

const container = document.querySelector('#application');
if (!container) throw new Error('index.html has no #application');

/** A refusal of the server that a page shows is no fault of the program. */
const onCaughtError = (error: unknown): void => {
  if (!(error instanceof ApiError)) reportError(error);
};

createRoot(container, { onCaughtError }).render(
  <StrictMode>
    <I18nProvider locale="en-US">
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </I18nProvider>
  </StrictMode>,
);
