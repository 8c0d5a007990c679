import { Link } from '@tanstack/react-router';
import { useOrganisation } from '../use-organisation.ts';

type Place =
  | '/$organisation'
  | '/$organisation/campaigns'
  | '/$organisation/approvals'
  | '/$organisation/people'
  | '/$organisation/templates';

/** A link to one of the organisation's places. */
export function PlaceLink({ to, children }: { readonly to: Place; readonly children: string }) {
  const { id } = useOrganisation();
  return (
    <Link to={to} params={{ organisation: String(id) }}>
      {children}
    </Link>
  );
}

/** A link to the screen of a campaign. */
export function CampaignLink({ id, children }: { readonly id: number; readonly children: string }) {
  const organisation = useOrganisation();
  return (
    <Link
      to="/$organisation/campaigns/$campaign"
      params={{ organisation: String(organisation.id), campaign: String(id) }}
    >
      {children}
    </Link>
  );
}
