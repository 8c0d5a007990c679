import { endpoint } from '../../../shared/http/endpoint.ts';
import { reportedUserView } from '../../../shared/http/views/user.ts';
import { updateAttributes, updateAttributesStores } from '../../../shared/operations/member/update-attributes.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, updateAttributesStores, ({ params, body, caller, replyWith }) => {
  const { attributes, location, partner_status_tier_id: tierId } = body;
  const statusTierId = tierId === 0 ? null : tierId;
  const update = {
    userUuid: params.id,
    organisationId: caller.organisationId,
    report: { attributes, location, statusTierId },
  };
  return replyWith(reportedUserView, (deps) => updateAttributes(update, deps));
});
