import { integerIdOf } from '../../../shared/domain/ids.ts';
import { isAssociated } from '../../../shared/domain/member/member.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { partnerKeyUserView, visibleTo } from '../../../shared/http/views/user.ts';
import { Campaigns } from '../../../shared/store/campaign/campaigns.ts';
import { Members } from '../../../shared/store/member/members.ts';
import { contract } from './contract.ts';

export const handler = endpoint(
  contract,
  { campaigns: Campaigns, members: Members },
  async ({ params, caller, platform, refuse }) => {
    const id = integerIdOf(params.id);
    if (id === undefined) return refuse('user_does_not_exist', 'The user does not exist');

    const { organisationId } = caller;
    const [member, asMerchant, asPartner] = await Promise.all([
      platform.members.find(id),
      platform.campaigns.partnershipsOf('byMerchant', organisationId),
      platform.campaigns.partnershipsOf('byPartner', organisationId),
    ]);
    if (member?.user.uuid !== params.id || !isAssociated(member, organisationId)) {
      return refuse('user_does_not_exist', 'The user does not exist');
    }
    return { user: partnerKeyUserView(member, visibleTo({ organisationId, asMerchant, asPartner })) };
  },
);
