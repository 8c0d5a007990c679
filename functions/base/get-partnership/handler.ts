import { isSide } from '../../../shared/domain/partnership.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { partnershipView } from '../../../shared/http/views/partnership.ts';
import { Campaigns } from '../../../shared/store/campaign/campaigns.ts';
import { contract } from './contract.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const handler = endpoint(contract, { campaigns: Campaigns }, async ({ params, caller, platform, refuse }) => {
  const found = uuid.test(params.id) ? await platform.campaigns.partnership(params.id) : undefined;
  if (!found || found.partnership.isDeleted || !isSide(caller.organisationId, found.partnership)) {
    return refuse('partnership_does_not_exist', 'The partnership does not exist');
  }
  return { partnership: partnershipView(found, platform.now()) };
});
