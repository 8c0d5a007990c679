import { endpoint } from '../../../shared/http/endpoint.ts';
import { userTokenUserView, visibleTo } from '../../../shared/http/views/user.ts';
import { Campaigns } from '../../../shared/store/campaign/campaigns.ts';
import { Members } from '../../../shared/store/member/members.ts';
import { contract } from './contract.ts';

export const handler = endpoint(
  contract,
  { campaigns: Campaigns, members: Members },
  async ({ params, caller, platform, refuse }) => {
    // The token names its user; any other id is somebody else's.
    if (params.id !== String(caller.userId)) return refuse('user_does_not_exist', 'The user does not exist');
    const { organisationId } = caller;
    const [member, asMerchant] = await Promise.all([
      platform.members.find(caller.userId),
      platform.campaigns.partnershipsOf('byMerchant', organisationId),
    ]);
    if (!member) return refuse('user_does_not_exist', 'The user does not exist');

    // A token is good at the merchant that it was issued to: where else the member is a customer is not told there.
    return { user: userTokenUserView(member, visibleTo({ organisationId, asMerchant, asPartner: [] })) };
  },
);
