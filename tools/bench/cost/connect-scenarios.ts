import { contract as createConnectToken } from '../../../functions/base/create-connect-token/contract.ts';
import { contract as getConnect } from '../../../functions/base/get-connect/contract.ts';
import { contract as issueToken } from '../../../functions/base/issue-token/contract.ts';
import { contract as linkAccount } from '../../../functions/base/link-account/contract.ts';
import { contract as revokeToken } from '../../../functions/base/revoke-token/contract.ts';
import { contract as showConnectPage } from '../../../functions/base/show-connect-page/contract.ts';
import { contract as submitConnectPage } from '../../../functions/base/submit-connect-page/contract.ts';
import { contract as unlinkAccount } from '../../../functions/base/unlink-account/contract.ts';
import { contract as unlinkOwnAccount } from '../../../functions/user/unlink-own-account/contract.ts';
import type { HostContract } from '../../../shared/contracts/contract.ts';
import { openProgramAccount } from '../../../shared/operations/member/program-accounts.ts';
import type { Request } from '../../../test/support/call.ts';
import type { CostWorld } from './world.ts';
import { clientCredentials, partnerKey, type Scenario, scenario } from './world.ts';

/** The unlinked member's account in the demonstration, and the data that the merchant sends about the member. */
const account = { member_id: 'SKY-77002', proof: '246802' };
const customer = { email: 'grace@example.com' };

const form = (fields: Readonly<Record<string, string>>) => new URLSearchParams(fields).toString();

async function connectToken(world: CostWorld): Promise<string> {
  const created = await world.play(createConnectToken, { headers: partnerKey(world.demo), body: { user: customer } });
  return created.body.data.connect_token;
}

const linking = (world: CostWorld, token: string): Request => ({
  params: { connect_token: token },
  body: { partner_id: world.demo.partner.id, ...account },
});

/** A request of the token endpoints. */
const exchanging = (world: CostWorld, fields: Readonly<Record<string, string>>): Request => ({
  headers: partnerKey(world.demo),
  body: form(fields),
});

async function code(world: CostWorld): Promise<string> {
  return (await world.play(linkAccount, linking(world, await connectToken(world)))).body.data.code;
}

async function refreshToken(world: CostWorld): Promise<string> {
  const fields = { grant_type: 'authorization_code', code: await code(world) };
  return (await world.play(issueToken, exchanging(world, fields))).body.refresh_token;
}

/** A user who has linked an account through the whole connect flow. Each measured request unlinks a different user. */
async function linkedUser(world: CostWorld, memberId: string) {
  const { demo, platform, play } = world;
  const holder = { memberId, pin: account.proof, firstName: 'Grace', lastName: 'Hopper', email: null };
  await openProgramAccount(demo.partner.id, { ...holder, statusTierId: 1, points: 100 }, platform);
  const begun = await play(createConnectToken, {
    headers: partnerKey(demo),
    body: { user: { external_id: memberId } },
  });
  const offered = await play(linkAccount, {
    params: { connect_token: begun.body.data.connect_token },
    body: { partner_id: demo.partner.id, member_id: memberId, proof: account.proof },
  });
  const fields = { grant_type: 'authorization_code', code: offered.body.data.code };
  const { user_id: id, access_token } = (await play(issueToken, exchanging(world, fields))).body;
  const member = await platform.members.find(id);
  if (!member) throw new Error('the account is not linked');
  return { id, uuid: member.user.uuid, accessToken: String(access_token) };
}

const looking = (contract: HostContract) =>
  scenario(contract, '', async (world) => ({ params: { connect_token: await connectToken(world) } }));

/** The scenarios of the connect flow and its tokens. */
export const connectScenarios: readonly Scenario[] = [
  scenario(createConnectToken, '', async ({ demo }) => ({ headers: partnerKey(demo), body: {} })),
  looking(getConnect),
  looking(showConnectPage),
  scenario(linkAccount, '', async (world) => linking(world, await connectToken(world))),
  scenario(submitConnectPage, '', async (world) => ({
    params: { connect_token: await connectToken(world) },
    body: form({ partner_id: String(world.demo.partner.id), ...account }),
  })),
  scenario(issueToken, 'client_credentials', async ({ demo }) => clientCredentials(demo)),
  scenario(issueToken, 'authorization_code', async (world) =>
    exchanging(world, { grant_type: 'authorization_code', code: await code(world) }),
  ),
  scenario(issueToken, 'refresh_token', async (world) =>
    exchanging(world, { grant_type: 'refresh_token', refresh_token: await refreshToken(world) }),
  ),
  scenario(revokeToken, 'a family', async (world) => exchanging(world, { token: await refreshToken(world) })),
  scenario(unlinkAccount, '', async (world, nth) => ({
    params: { id: (await linkedUser(world, `SKY-8800${nth}`)).uuid },
    headers: partnerKey(world.demo),
    body: { partner_id: world.demo.partner.id },
  })),
  scenario(unlinkOwnAccount, '', async (world, nth) => {
    const { id, accessToken } = await linkedUser(world, `SKY-8810${nth}`);
    const body = { partner_id: world.demo.partner.id };
    return { params: { id: String(id) }, headers: { 'x-api-key': accessToken }, body };
  }),
];
