import { connectForm, linkAccount, linkRefusals } from '../../../shared/http/connect-flow.ts';
import { messagePage } from '../../../shared/http/connect-page.ts';
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
  async ({ params, body, caller, platform, baseUrl, refuse }) => {
    const asked = { partnerId: Number(body.partner_id), memberId: body.member_id, proof: body.proof };
    const outcome = await linkAccount(caller.session, asked, platform);
    if (outcome.kind === 'linked') {
      const html = messagePage('Linked', 'Your account is linked. You can close this page.');
      const { redirectUri } = outcome;
      return { status: redirectUri ? 303 : 200, html, formActions: [], ...(redirectUri && { location: redirectUri }) };
    }
    if (outcome.why === 'invalid_token') return refuse('invalid_token', linkRefusals.invalid_token);

    const action = `${baseUrl}/connect/${params.connect_token}/page`;
    return connectForm(caller.session, action, platform, linkRefusals[outcome.why]);
  },
);
