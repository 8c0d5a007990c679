import type * as z from 'zod/mini';
import { Campaign, type Flow } from '../../shared/domain/campaign/document/campaign.ts';
import { Partnership } from '../../shared/domain/partnership.ts';
import type { Platform } from '../../shared/runtime/platform.ts';
import { campaignWrites } from '../../shared/store/campaign/campaigns.ts';
import { partnershipWrite } from '../../shared/store/campaign/partnerships.ts';
import { aFlow, earning } from '../domain/fixtures.ts';
import type { World } from './world.ts';

type CampaignInput = z.input<typeof Campaign>;
export type FlowInput = CampaignInput['flows'][number];

/** A flow that awards points for each event of a kind. */
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

/** A lifetime limit per member. */
export const forLife = (unit: 'EVENTS' | 'POINTS', amount: number): NonNullable<FlowInput['limits']>[number] => ({
  id: 9,
  ownerId: 1,
  kind: 'USER',
  unit,
  amount,
  period: 'LIFETIME',
});

/** The parts of a world that a campaign needs. */
interface CampaignPlace {
  readonly platform: Platform;
  readonly demo: {
    readonly partnership: { readonly uuid: string };
    readonly merchant: { readonly id: number };
    readonly partner: { readonly id: number };
  };
}

/** Creates a campaign that started a day ago, in the world's partnership. */
export async function addCampaign(
  { platform, demo }: CampaignPlace,
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

/** Returns a flow that awards one point per dollar, with the settings of a test. */
export const aFlowOf = (more: Partial<Flow>): Flow => ({ ...aFlow([earning(10_000)]), ...more });

/** Creates a campaign that started in 2020, in the world's partnership. By default, it awards one point per dollar. */
export function runCampaign(world: World, { flows = [aFlowOf({})], ...more }: Partial<Campaign>): Promise<Campaign> {
  const since = '2020-01-01T00:00:00.000Z';
  return addCampaign(world, flows, { ownerId: world.demo.partner.id, startsAt: since, createdAt: since, ...more });
}

/** Changes the world's partnership. */
export async function changePartnership({ platform, demo }: World, more: Partial<Partnership>): Promise<void> {
  const found = await platform.campaigns.partnership(demo.partnership.uuid);
  if (!found) throw new Error('the world has no partnership');
  await platform.table.write(partnershipWrite({ ...found.partnership, ...more }));
}

/**
 * Writes another partnership of the same merchant and partner. Stages may have such partnerships from earlier releases.
 */
export async function addPartnership(
  { table, nextUuid, now }: Platform,
  sides: Pick<Partnership, 'name' | 'merchantId' | 'partnerId'>,
): Promise<Partnership> {
  const partnership = Partnership.parse({
    ...sides,
    ...{ uuid: nextUuid(), description: null, imageUrl: null, relatedPartnerId: null, ownerId: sides.merchantId },
    ...{ isActive: true, isDeleted: false, isDemo: true, timeZone: 'America/New_York', createdAt: now().toISOString() },
  });
  await table.write(partnershipWrite(partnership));
  return partnership;
}
