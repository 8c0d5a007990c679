import { createFileRoute } from '@tanstack/react-router';
import { NewCampaignScreen } from '../../../screens/campaigns/new-campaign-screen.tsx';

export const Route = createFileRoute('/$organisation/campaigns/new')({
  validateSearch: ({ template }): { readonly template?: number } => (typeof template === 'number' ? { template } : {}),
  component: NewCampaignScreen,
});
