import { createFileRoute } from '@tanstack/react-router';
import { SettingsScreen } from '../../screens/settings/settings-screen.tsx';

export const Route = createFileRoute('/$organisation/settings')({ component: SettingsScreen });
