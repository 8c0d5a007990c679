import { linkAccount, linkRefusals } from '../../../shared/http/connect-flow.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { Campaigns } from '../../../shared/store/campaign/campaigns.ts';
import { ConnectSessions } from '../../../shared/store/connect/connect-sessions.ts';
import { Links } from '../../../shared/store/connect/links.ts';
import { ProgramAccounts } from '../../../shared/store/member/program-accounts.ts';
import { Organisations } from '../../../shared/store/organisation/organisations.ts';
import { contract } from './contract.ts';

export const handler = endpoint(
  contract,
  {
    campaigns: Campaigns,
    connectSessions: ConnectSessions,
    links: Links,
    organisations: Organisations,
    programAccounts: ProgramAccounts,
  },
  async ({ body, caller, platform, refuse }) => {
    const asked = { partnerId: body.partner_id, memberId: body.member_id, proof: body.proof };
    const outcome = await linkAccount(caller.session, asked, platform);
    if (outcome.kind === 'refused') return refuse(outcome.why, linkRefusals[outcome.why]);
    return { redirect_uri: outcome.redirectUri, code: outcome.code, state: outcome.state };
  },
);
