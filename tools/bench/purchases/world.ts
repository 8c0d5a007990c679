import { type Member, SpendTotal } from '../../../shared/domain/member/member.ts';
import { createMember } from '../../../shared/operations/member/create-member.ts';
import { issueUserTokens } from '../../../shared/operations/member/issue-user-tokens.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { composePlatform, type Platform } from '../../../shared/runtime/platform.ts';
import { spendKey } from '../../../shared/store/member/members.ts';
import type { Key } from '../../../shared/store/table/items.ts';
import { makeDemoWorld } from '../../admin/demo/world.ts';
import type { AwsAddresses } from '../../local/platform-options.ts';
import { operatorEnvironment } from '../../local/start/scripts.ts';

/** Who buys, and where it is counted. */
export interface ShoppingWorld {
  readonly campaignId: number;
  /** Access tokens of the members. */
  readonly tokens: readonly string[];
  /** How many transactions were completed and counted so far. */
  readonly counted: () => Promise<number>;
  /** What all members spent so far, in cents, as far as it is counted. */
  readonly spentCents: () => Promise<number>;
}

/** Makes the demonstration's world and more members in it, each linked to the partner. */
export async function makeShoppingWorld(aws: AwsAddresses, members: number): Promise<ShoppingWorld> {
  Object.assign(process.env, operatorEnvironment(aws));
  const platform = composePlatform(readConfig(process.env));
  const { merchant, partner, partnership, campaigns } = await makeDemoWorld(platform);
  const sides = { merchantId: merchant.id, partnerId: partner.id };
  const tokens: string[] = [];
  const totals: Key[] = [];
  for (let nth = 0; nth < members; nth += 1) {
    const member = await makeMember(platform, sides, nth);
    tokens.push((await issueUserTokens({ member, merchantId: merchant.id }, platform)).accessToken);
    totals.push(spendKey({ ...sides, userId: member.user.id }));
  }

  const counted = async (): Promise<number> =>
    (await platform.campaigns.partnership(partnership.uuid))?.totals.transactions ?? 0;
  const spentCents = async (): Promise<number> =>
    (await platform.table.getAll(totals)).reduce((sum, item) => sum + SpendTotal.parse(item).spentCents, 0);
  return { campaignId: campaigns.earn, tokens, counted, spentCents };
}

function makeMember(
  platform: Platform,
  { merchantId, partnerId }: Pick<SpendTotal, 'merchantId' | 'partnerId'>,
  nth: number,
): Promise<Member> {
  return createMember(
    {
      firstName: 'Ada',
      lastName: 'Byron',
      email: `ada-${nth}@example.com`,
      merchant: { id: merchantId, externalId: `bench-${nth}` },
      program: { partnerId, externalId: `BENCH-${nth}`, statusTierId: 2, points: 25_000 },
    },
    platform,
  );
}
