import { createFileRoute } from '@tanstack/react-router';
import { PeopleScreen } from '../../screens/people/people-screen.tsx';

export const Route = createFileRoute('/$organisation/people')({ component: PeopleScreen });
