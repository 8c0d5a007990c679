import { PartnershipNotFoundError } from '../../../shared/domain/errors.ts';
import { isUuid } from '../../../shared/domain/ids.ts';
import { isSide } from '../../../shared/domain/partnership.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { partnershipView } from '../../../shared/http/views/partnership.ts';
import { Campaigns } from '../../../shared/store/campaign/campaigns.ts';
import { Partnerships } from '../../../shared/store/campaign/partnerships.ts';
import { contract } from './contract.ts';

export const handler = endpoint(
  contract,
  { campaigns: Campaigns, partnerships: Partnerships },
  async ({ params, caller, deps }) => {
    // A partnership of other organisations costs only this one read, as a missing partnership does. So the time of the
    // reply does not reveal that the partnership exists.
    const partnership = isUuid(params.id) ? await deps.partnerships.find(params.id) : undefined;
    const isOwn = partnership && !partnership.isDeleted && isSide(caller.organisationId, partnership);
    const found = isOwn ? await deps.campaigns.partnership(params.id) : undefined;
    if (!found) throw new PartnershipNotFoundError();

    const campaigns = caller.permissions.includes('campaigns:read') ? found.campaigns : [];
    return { partnership: partnershipView({ ...found, campaigns }, deps.now()) };
  },
);
