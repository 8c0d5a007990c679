import { createFileRoute } from '@tanstack/react-router';
import { CampaignScreen } from '../../../../screens/campaign/campaign-screen.tsx';

export const Route = createFileRoute('/$organisation/campaigns/$campaign/')({ component: Campaign });

function Campaign() {
  const { campaign } = Route.useParams();
  return <CampaignScreen id={Number(campaign)} />;
}
