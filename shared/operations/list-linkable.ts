import { type ConnectSession, isLinkable } from '../domain/connect/connect-session.ts';
import type { Partnership } from '../domain/partnership.ts';
import { Campaigns } from '../store/campaign/campaigns.ts';
import { Organisations } from '../store/organisation/organisations.ts';
import type { Deps } from './deps.ts';

export const listLinkableStores = { campaigns: Campaigns, organisations: Organisations };

/** The merchant of a connect session, and the partnerships whose programs may be linked. */
export interface LinkablePrograms {
  readonly merchantName: string;
  readonly partnerships: readonly Partnership[];
}

/** Lists the programs that a connect session may link. */
export async function listLinkable(
  session: ConnectSession,
  { campaigns, organisations }: Deps<typeof listLinkableStores>,
): Promise<LinkablePrograms> {
  const [merchant, partnerships] = await Promise.all([
    organisations.find(session.organisationId),
    campaigns.partnershipsOf('byMerchant', session.organisationId),
  ]);
  return {
    merchantName: merchant?.name ?? '',
    partnerships: partnerships.filter((one) => isLinkable(one, session)),
  };
}
