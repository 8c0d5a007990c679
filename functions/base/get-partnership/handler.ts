import { PartnershipNotFoundError } from '../../../shared/domain/errors.ts';
import { isUuid } from '../../../shared/domain/ids.ts';
import { isSide } from '../../../shared/domain/partnership.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { partnershipView } from '../../../shared/http/views/partnership.ts';

import { Campaigns } from '../../../shared/store/campaign/campaigns.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, { campaigns: Campaigns }, async ({ params, caller, deps }) => {
  const found = isUuid(params.id) ? await deps.campaigns.partnership(params.id) : undefined;
  if (!found || found.partnership.isDeleted || !isSide(caller.organisationId, found.partnership)) {
    throw new PartnershipNotFoundError();
  }
  return { partnership: partnershipView(found, deps.now()) };
});
