import { createFileRoute } from '@tanstack/react-router';
import { CampaignsScreen } from '../../../screens/campaigns/campaigns-screen.tsx';
import { readFilters } from '../../../screens/campaigns/filters.ts';

export const Route = createFileRoute('/$organisation/campaigns/')({
  validateSearch: readFilters,
  component: CampaignsScreen,
});
