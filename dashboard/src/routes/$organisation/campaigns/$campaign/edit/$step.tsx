import { createFileRoute, notFound } from '@tanstack/react-router';
import { EditScreen } from '../../../../../screens/edit/edit-screen.tsx';
import { readPlace } from '../../../../../screens/edit/steps.ts';

/** A step of the builder. `field` is the JSON Pointer of the field to begin at. */
export const Route = createFileRoute('/$organisation/campaigns/$campaign/edit/$step')({
  validateSearch: ({ field }): { readonly field?: string } => (typeof field === 'string' ? { field } : {}),
  beforeLoad: ({ params }) => {
    if (!readPlace(params.step)) throw notFound();
  },
  component: Edit,
});

function Edit() {
  const { campaign, step } = Route.useParams();
  const { field } = Route.useSearch();
  return <EditScreen key={campaign} id={Number(campaign)} field={field} place={readPlace(step) ?? 'details'} />;
}
