import { linkablePartnerships } from '../../../shared/http/connect-flow.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { Campaigns } from '../../../shared/store/campaign/campaigns.ts';
import { Organisations } from '../../../shared/store/organisation/organisations.ts';
import { contract } from './contract.ts';

export const handler = endpoint(
  contract,
  { campaigns: Campaigns, organisations: Organisations },
  async ({ caller, platform }) => {
    const { session } = caller;
    const [merchant, partnerships] = await Promise.all([
      platform.organisations.find(session.organisationId),
      linkablePartnerships(session, platform),
    ]);
    return {
      merchant: { id: session.organisationId, name: merchant?.name ?? '' },
      partners: partnerships.map(({ partnerId, uuid, name, description }) => ({
        partner_id: partnerId,
        partnership_id: uuid,
        name,
        description,
      })),
      expires_at: session.expiresAt,
    };
  },
);
