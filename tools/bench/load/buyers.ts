import { randomUUID } from 'node:crypto';
import { issueUserTokens } from '../../../shared/operations/member/issue-user-tokens.ts';
import { createMember } from '../../../shared/operations/member/manage-members.ts';
import { composePlatform } from '../../../shared/runtime/platform.ts';
import { readConfig } from '../../../shared/runtime/runtime.ts';
import { toKeyHeader } from '../../demo/client.ts';
import type { LocalPlatform } from '../../demo/platform.ts';
import { operatorEnvironment } from '../../local/start/scripts.ts';
import type { PlatformFile } from '../../local/start/state.ts';

/** The fields of platform.json that the bench reads. */
export type RunningPlatform = LocalPlatform & Pick<PlatformFile, 'aws'>;

/** Makes members who can buy, with accounts in the partner's program. Returns their access tokens. */
export async function makeBuyers({ aws, demo }: RunningPlatform, count: number): Promise<string[]> {
  Object.assign(process.env, operatorEnvironment(aws));
  const platform = composePlatform(readConfig(process.env));
  const { merchant, partner, program } = demo;
  const person = { firstName: 'Ada', lastName: 'Byron' };
  const ids = Array.from({ length: count }, (_, nth) => `BENCH-${nth}`);

  const account = { proof: '246802', first_name: 'Ada', last_name: 'Byron', status_tier_id: 2, balance: 25_000 };
  const accounts = ids.map((id) => ({ member_id: id, email: `${id}@example.com`, ...account }));
  const opened = await fetch(`${program?.url}/control/accounts`, { method: 'PUT', body: JSON.stringify({ accounts }) });
  if (!opened.ok) throw new Error(`the program refuses the accounts: ${await opened.text()}`);

  const tokens: string[] = [];
  for (const id of ids) {
    const member = await createMember(
      {
        ...{ ...person, email: `${id}@example.com`, merchant: { id: merchant.id, externalId: id } },
        program: { partnerId: partner.id, externalId: id, statusTierId: 2, points: account.balance },
      },
      platform,
    );
    tokens.push((await issueUserTokens({ member, merchantId: merchant.id }, platform)).accessToken);
  }
  return tokens;
}

/** One purchase. */
export interface Purchase {
  readonly endpoint1Ms: number;
  readonly endpoint2Ms: number;
  readonly transactionId: number;
  /** When endpoint 2 replied, in milliseconds of `performance.now()`. */
  readonly createdAt: number;
}

/**
 * Creates a token with endpoint 1 and spends it with endpoint 2.
 * @throws Error when a reply is no success
 */
export async function buy({ hosts, demo }: RunningPlatform, accessToken: string): Promise<Purchase> {
  const startedAt = performance.now();
  const { authentication_id } = await post<{ authentication_id: string }>(
    `${hosts.reward}/reward_transaction/auth`,
    accessToken,
    { transaction_amount: 7.5, external_transaction_id: randomUUID(), campaign_id: demo.campaigns.earn },
  );
  const askedAt = performance.now();
  const { reward_transactions } = await post<{ reward_transactions: { id: number }[] }>(
    `${hosts.reward}/reward_transaction/create`,
    accessToken,
    { reward_authentication_token: authentication_id },
  );
  const createdAt = performance.now();
  return {
    endpoint1Ms: askedAt - startedAt,
    endpoint2Ms: createdAt - askedAt,
    transactionId: reward_transactions[0]?.id ?? 0,
    createdAt,
  };
}

async function post<Data>(url: string, apiKey: string, body: object): Promise<Data> {
  const headers = { ...toKeyHeader(apiKey), 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${url} returned ${response.status}: ${text}`);
  return (JSON.parse(text) as { data: Data }).data;
}

interface Crowd {
  readonly clients: number;
  readonly seconds: number;
  /** The members' tokens. Each client has members of its own, who buy in turn. */
  readonly tokens: readonly string[];
}

/**
 * Lets every client buy again and again. Returns the purchases, and the errors of those that failed.
 * @throws Error when every purchase failed
 */
export async function runClients(platform: RunningPlatform, { clients, seconds, tokens }: Crowd) {
  const purchases: Purchase[] = [];
  const errors: Error[] = [];
  const endsAt = performance.now() + seconds * 1_000;
  const play = async (first: number): Promise<void> => {
    for (let nth = first; performance.now() < endsAt; nth += clients) {
      await buy(platform, tokens[nth % tokens.length] ?? '').then(
        (purchase) => purchases.push(purchase),
        (error: Error) => errors.push(error),
      );
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, first) => play(first)));
  if (purchases.length === 0) throw new Error('every purchase failed', { cause: errors[0] });
  return { purchases, errors };
}
