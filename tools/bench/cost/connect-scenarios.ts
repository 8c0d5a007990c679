import { contract as createConnectToken } from '../../../functions/base/create-connect-token/contract.ts';
import { contract as getConnect } from '../../../functions/base/get-connect/contract.ts';
import { contract as issueToken } from '../../../functions/base/issue-token/contract.ts';
import { contract as linkAccount } from '../../../functions/base/link-account/contract.ts';
import { contract as revokeToken } from '../../../functions/base/revoke-token/contract.ts';
import { contract as showConnectPage } from '../../../functions/base/show-connect-page/contract.ts';
import { contract as submitConnectPage } from '../../../functions/base/submit-connect-page/contract.ts';
import type { AnyContract } from '../../../shared/contracts/contract.ts';
import type { Request } from '../../../test/support/call.ts';
import { clientCredentials, partnerKey } from './requests.ts';
import { type Scenario, scenario } from './scenario.ts';
import type { Stage } from './stage.ts';

/** The unlinked member's account in the demonstration. */
const account = { member_id: 'SKY-77002', proof: '2468' };

const form = (fields: Readonly<Record<string, string>>) => new URLSearchParams(fields).toString();

async function connectToken(stage: Stage): Promise<string> {
  const created = await stage.play(createConnectToken, { headers: partnerKey(stage.demo), body: {} });
  return created.body.data.connect_token;
}

const linking = (stage: Stage, token: string): Request => ({
  params: { connect_token: token },
  body: { partner_id: stage.demo.partner.id, ...account },
});

/** A request of the token endpoints, for what a whole connect flow led to. */
const exchanging = (stage: Stage, fields: Readonly<Record<string, string>>): Request => ({
  headers: partnerKey(stage.demo),
  body: form(fields),
});

async function code(stage: Stage): Promise<string> {
  return (await stage.play(linkAccount, linking(stage, await connectToken(stage)))).body.data.code;
}

async function refreshToken(stage: Stage): Promise<string> {
  const fields = { grant_type: 'authorization_code', code: await code(stage) };
  return (await stage.play(issueToken, exchanging(stage, fields))).body.refresh_token;
}

const looking = (contract: AnyContract) =>
  scenario(contract, '', async (stage) => ({ params: { connect_token: await connectToken(stage) } }));

/** The connect flow and the tokens that it leads to. */
export const connectScenarios: readonly Scenario[] = [
  scenario(createConnectToken, '', async ({ demo }) => ({ headers: partnerKey(demo), body: {} })),
  looking(getConnect),
  looking(showConnectPage),
  scenario(linkAccount, '', async (stage) => linking(stage, await connectToken(stage))),
  scenario(submitConnectPage, '', async (stage) => ({
    params: { connect_token: await connectToken(stage) },
    body: form({ partner_id: String(stage.demo.partner.id), ...account }),
  })),
  scenario(issueToken, 'client_credentials', async ({ demo }) => clientCredentials(demo)),
  scenario(issueToken, 'authorization_code', async (stage) =>
    exchanging(stage, { grant_type: 'authorization_code', code: await code(stage) }),
  ),
  scenario(issueToken, 'refresh_token', async (stage) =>
    exchanging(stage, { grant_type: 'refresh_token', refresh_token: await refreshToken(stage) }),
  ),
  scenario(revokeToken, 'a family', async (stage) => exchanging(stage, { token: await refreshToken(stage) })),
];
