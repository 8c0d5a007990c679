import type * as z from 'zod/mini';
import { Campaign } from '../../shared/domain/campaign/campaign.ts';
import { campaignWrites } from '../../shared/store/campaigns.ts';
import type { World } from './world.ts';

type CampaignInput = z.input<typeof Campaign>;
export type FlowInput = CampaignInput['flows'][number];

/** A flow that awards points for each event of a kind, whoever's. */
export const awarding = (
  trigger: FlowInput['trigger'],
  pointsPerEvent: number,
  more: Partial<FlowInput> = {},
): FlowInput => ({
  id: 1,
  trigger,
  actions: [{ id: 2, ownerId: 1, kind: 'AWARD_POINTS', pointsPerEvent }],
  ...more,
});

/** A limit of what one member may have in its life. */
export const forLife = (unit: 'EVENTS' | 'POINTS', amount: number): NonNullable<FlowInput['limits']>[number] => ({
  id: 9,
  ownerId: 1,
  kind: 'USER',
  unit,
  amount,
  period: 'LIFETIME',
});

/** Makes a campaign of the world's partnership that has run for a day. */
export async function addCampaign(
  { platform, demo }: Pick<World, 'platform' | 'demo'>,
  flows: FlowInput[],
  more: Partial<CampaignInput> = {},
): Promise<Campaign> {
  const yesterday = new Date(platform.now().getTime() - 86_400_000).toISOString();
  const campaign = Campaign.parse({
    id: await platform.sequences.lease('campaign', 1),
    version: 1,
    partnershipUuid: demo.partnership.uuid,
    merchantId: demo.merchant.id,
    partnerId: demo.partner.id,
    ownerId: demo.merchant.id,
    name: 'Events',
    description: null,
    logo: null,
    type: 'EARN',
    status: 'ACTIVE',
    startsAt: yesterday,
    endsAt: null,
    isDeleted: false,
    createdAt: yesterday,
    flows,
    ...more,
  });
  await platform.table.transact(campaignWrites(campaign));
  return campaign;
}
