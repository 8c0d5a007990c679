import type { IconName } from '../parts/icon.tsx';

/** The screens of an organisation, in the order of the navigation. */
export const places = [
  { label: 'Home', to: '/$organisation', icon: 'home' },
  { label: 'Campaigns', to: '/$organisation/campaigns', icon: 'campaigns' },
  { label: 'Approvals', to: '/$organisation/approvals', icon: 'approvals' },
  { label: 'Templates', to: '/$organisation/templates', icon: 'templates' },
  { label: 'People', to: '/$organisation/people', icon: 'people' },
  { label: 'Audit', to: '/$organisation/audit', icon: 'audit' },
  { label: 'Settings', to: '/$organisation/settings', icon: 'settings' },
] as const satisfies readonly { readonly label: string; readonly to: string; readonly icon: IconName }[];
