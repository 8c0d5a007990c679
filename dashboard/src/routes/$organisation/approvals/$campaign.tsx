import { createFileRoute } from '@tanstack/react-router';
import { ApprovalScreen } from '../../../screens/approvals/approval-screen.tsx';

export const Route = createFileRoute('/$organisation/approvals/$campaign')({ component: Approval });

function Approval() {
  const { campaign } = Route.useParams();
  return <ApprovalScreen id={Number(campaign)} />;
}
