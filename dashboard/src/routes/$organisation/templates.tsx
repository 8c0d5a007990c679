import { createFileRoute } from '@tanstack/react-router';
import { TemplatesScreen } from '../../screens/templates/templates-screen.tsx';

export const Route = createFileRoute('/$organisation/templates')({ component: TemplatesScreen });
