import { createFileRoute, notFound } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';

const Gallery = import.meta.env.DEV
  ? lazy(() => import('../parts/gallery/gallery.tsx').then((module) => ({ default: module.Gallery })))
  : () => null;

/** All parts in all states, in development only. */
export const Route = createFileRoute('/parts')({
  beforeLoad: () => {
    if (!import.meta.env.DEV) throw notFound();
  },
  component: () => (
    <Suspense>
      <Gallery />
    </Suspense>
  ),
});
