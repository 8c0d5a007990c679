import { contract as createContract } from '../../functions/base/create-connect-token/contract.ts';
import { handler as createHandler } from '../../functions/base/create-connect-token/handler.ts';
import { contract as getContract } from '../../functions/base/get-connect/contract.ts';
import { handler as getHandler } from '../../functions/base/get-connect/handler.ts';
import { contract as tokenContract } from '../../functions/base/issue-token/contract.ts';
import { handler as tokenHandler } from '../../functions/base/issue-token/handler.ts';
import { contract as linkContract } from '../../functions/base/link-account/contract.ts';
import { handler as linkHandler } from '../../functions/base/link-account/handler.ts';
import { contract as statusContract } from '../../functions/user/get-user-status/contract.ts';
import { handler as statusHandler } from '../../functions/user/get-user-status/handler.ts';
import { openProgramAccount } from '../../shared/operations/member/program-accounts.ts';
import { type Answer, call, type Request } from './call.ts';
import type { World } from './world.ts';

/** The PIN of every account that the tests open. */
export const pin = '246802';

/** Opens a program account with 700 points in the program of the world's partner. Returns its PIN. */
export async function openAccount(
  { demo, platform }: World,
  memberId: string,
  email: string | null = emailOf(memberId),
): Promise<string> {
  const holder = { memberId, pin, firstName: 'Linus', lastName: 'Pauling', email, statusTierId: 1, points: 700 };
  await openProgramAccount(demo.partner.id, holder, platform);
  return pin;
}

const emailOf = (memberId: string) => `${memberId}@example.com`;

/** An account that a merchant links, with the data that the merchant sends about its holder. */
export interface LinkedCard {
  readonly apiKey: string;
  readonly partnerId: number;
  readonly memberId: string;
  readonly user?: object;
}

/** Plays the whole connect flow and returns the user's tokens. Fails when a step is refused. */
export async function linkCard({ apiKey, partnerId, memberId, user = {} }: LinkedCard) {
  const headers = { 'x-api-key': apiKey };
  const begun = requireSuccess(await call(createHandler, createContract, { headers, body: { user } }));
  const linked = await call(linkHandler, linkContract, {
    params: { connect_token: begun.data.connect_token },
    body: { partner_id: partnerId, member_id: memberId, proof: pin },
  });
  const form = { grant_type: 'authorization_code', code: requireSuccess(linked).data.code };
  const body = new URLSearchParams(form).toString();
  return requireSuccess(await call(tokenHandler, tokenContract, { headers, body }));
}

function requireSuccess({ status, body }: Answer) {
  if (status !== 200) throw new Error(`a step of the connect flow returned ${status}: ${JSON.stringify(body)}`);
  return body;
}

/**
 * Returns the steps of the connect flow as functions. `current` returns the world and the program account that the
 * steps use. The world's merchant is the caller by default.
 */
export function connectStory(current: () => { readonly world: World; readonly account: string }) {
  const merchantKey = () => ({ 'x-api-key': current().world.demo.merchant.apiKey });

  const begin = (body: object = {}, headers: Record<string, string> = merchantKey()) =>
    call(createHandler, createContract, { headers, body });

  const connectToken = async (body: object = {}): Promise<string> => (await begin(body)).body.data.connect_token;

  const look = (token: string) => call(getHandler, getContract, { params: { connect_token: token } });

  const link = (token: string, more: object = {}, from: Pick<Request, 'address'> = {}): Promise<Answer> => {
    const { world, account } = current();
    const body = { partner_id: world.demo.partner.id, member_id: account, proof: pin, ...more };
    return call(linkHandler, linkContract, { params: { connect_token: token }, body, ...from });
  };

  const exchange = (form: Record<string, string>, headers: Record<string, string> = merchantKey()): Promise<Answer> =>
    call(tokenHandler, tokenContract, { headers, body: new URLSearchParams(form).toString() });

  const status = (id: number, token: string) =>
    call(statusHandler, statusContract, { params: { id: String(id) }, headers: { 'x-api-key': token } });

  /** Links the account and returns the user's tokens. */
  const connected = async (body: object = {}, more: object = {}) => {
    const { code } = (await link(await connectToken(body), more)).body.data;
    return (await exchange({ grant_type: 'authorization_code', code })).body;
  };

  return { merchantKey, begin, connectToken, look, link, exchange, status, connected };
}
