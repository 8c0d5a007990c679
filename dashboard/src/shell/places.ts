import { may } from '../api/session.ts';
import type { Membership } from '../api/types.ts';
import type { IconName } from '../parts/icon.tsx';

/** The screens of an organisation, in the order of the navigation, each with the permission that it needs. */
const places = [
  { label: 'Home', to: '/$organisation', icon: 'home', permission: 'campaigns:read' },
  { label: 'Campaigns', to: '/$organisation/campaigns', icon: 'campaigns', permission: 'campaigns:read' },
  { label: 'Approvals', to: '/$organisation/approvals', icon: 'approvals', permission: 'campaigns:read' },
  { label: 'Templates', to: '/$organisation/templates', icon: 'templates', permission: 'campaigns:read' },
  { label: 'People', to: '/$organisation/people', icon: 'people', permission: 'people:read' },
  { label: 'Audit', to: '/$organisation/audit', icon: 'audit', permission: 'audit:read' },
  { label: 'Settings', to: '/$organisation/settings', icon: 'settings', permission: 'organisation:read' },
] as const satisfies readonly {
  readonly label: string;
  readonly to: string;
  readonly icon: IconName;
  readonly permission: string;
}[];

/** The screens that a person may see. */
export const placesOf = (organisation: Membership) => places.filter(({ permission }) => may(organisation, permission));
