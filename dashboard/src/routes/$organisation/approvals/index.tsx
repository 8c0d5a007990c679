import { createFileRoute } from '@tanstack/react-router';
import { ApprovalsScreen } from '../../../screens/approvals/approvals-screen.tsx';

export const Route = createFileRoute('/$organisation/approvals/')({ component: ApprovalsScreen });
