import { makeDemoWorld } from '../../admin/demo/world.ts';
import { provisionMember, provisionUserTokens } from '../../admin/provision.ts';
import type { AwsAddresses } from '../../local/platform-options.ts';
import { operatorEnvironment } from '../../local/start/seed.ts';
import { readConfig } from '../../shared/runtime/config.ts';
import { composePlatform, type Platform } from '../../shared/runtime/platform.ts';

/** Who buys, and where it is counted. */
export interface ShoppingWorld {
  readonly campaignId: number;
  /** Access tokens of the members. */
  readonly tokens: readonly string[];
  /** How many transactions were completed and counted so far. */
  readonly counted: () => Promise<number>;
}

/** Makes the demonstration's world and more members in it, each linked to the partner. */
export async function makeShoppingWorld(aws: AwsAddresses, members: number): Promise<ShoppingWorld> {
  Object.assign(process.env, operatorEnvironment(aws));
  const platform = composePlatform(readConfig(process.env));
  const { merchant, partner, partnership, campaigns } = await makeDemoWorld(platform);
  const tokens: string[] = [];
  for (let nth = 0; nth < members; nth += 1) tokens.push(await makeMember(platform, merchant.id, partner.id, nth));

  const counted = async (): Promise<number> =>
    (await platform.campaigns.partnership(partnership.uuid))?.totals.transactions ?? 0;
  return { campaignId: campaigns.earn, tokens, counted };
}

async function makeMember(platform: Platform, merchantId: number, partnerId: number, nth: number): Promise<string> {
  const member = await provisionMember(platform, {
    firstName: 'Ada',
    lastName: 'Byron',
    email: `ada-${nth}@example.com`,
    merchant: { id: merchantId, externalId: `bench-${nth}` },
    program: { partnerId, externalId: `BENCH-${nth}`, statusTierId: 2, points: 25_000 },
  });
  return (await provisionUserTokens(platform, member, merchantId)).accessToken;
}
