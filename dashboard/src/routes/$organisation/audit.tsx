import { createFileRoute } from '@tanstack/react-router';
import { AuditScreen } from '../../screens/audit/audit-screen.tsx';

export const Route = createFileRoute('/$organisation/audit')({ component: AuditScreen });
