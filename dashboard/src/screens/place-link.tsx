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
