import { bearerOf, createTransaction, issueToken } from '../../support/story.ts';
import { webhookStory } from '../../support/webhook-story.ts';
import type { World } from '../../support/world.ts';
import { makeConnectToken } from '../visibility/credentials.ts';
import type { Loot } from './material.ts';

/** Collects the ids and credentials of a world for requests, and creates the missing ones. */
export async function lootOf(world: World): Promise<Loot> {
  const { demo, platform } = world;
  const [member] = demo.members;
  if (!member) throw new Error('the demo world has no member');
  const transaction = await createTransaction(world, { campaignId: demo.campaigns.redeem, amount: 7.5 });
  const { clientId, clientSecret } = demo.merchant;
  const transactionTokens = [];
  for (let each = 0; each < 20; each += 1) transactionTokens.push(await issueToken(world, `fuzz-${each}`));
  return {
    merchantKey: demo.merchant.apiKey,
    partnerKey: demo.partner.apiKey,
    userToken: member.accessToken,
    refreshToken: member.refreshToken,
    bearer: await bearerOf(demo.merchant),
    basic: Buffer.from(`${clientId}:${clientSecret}`).toString('base64'),
    connectToken: await makeConnectToken(world, demo.merchant.id, { attempts: -100_000 }),
    partnershipUuid: demo.partnership.uuid,
    campaignIds: Object.values(demo.campaigns),
    user: { ...member, linkId: (await platform.members.find(member.id))?.memberships[0]?.id ?? 0 },
    transaction,
    partnerId: demo.partner.id,
    transactionTokens,
    webhook: await webhookStory(world, demo.merchant.id, { eventName: 'transaction_authenticated' }),
  };
}
