import { Campaign, type Flow } from '../../shared/domain/campaign/campaign.ts';
import type { Partnership } from '../../shared/domain/partnership.ts';
import { campaignWrites, partnershipWrite } from '../../shared/store/campaigns.ts';
import { aFlow, earning } from '../domain/fixtures.ts';
import type { World } from './world.ts';

/** One point for every dollar, and what matters to a test. */
export const aFlowOf = (more: Partial<Flow>): Flow => ({ ...aFlow([earning(10_000)]), ...more });

/** Has a campaign of the world's partnership run from now on. */
export async function runCampaign({ platform, demo }: World, more: Partial<Campaign>): Promise<Campaign> {
  const id = await platform.sequences.lease('campaign', 1);
  const campaign = Campaign.parse({
    id,
    version: 1,
    partnershipUuid: demo.partnership.uuid,
    merchantId: demo.merchant.id,
    partnerId: demo.partner.id,
    ownerId: demo.partner.id,
    name: `Campaign ${id}`,
    description: null,
    logo: null,
    type: 'EARN',
    status: 'ACTIVE',
    startsAt: '2020-01-01T00:00:00.000Z',
    endsAt: null,
    isDeleted: false,
    createdAt: '2020-01-01T00:00:00.000Z',
    flows: [aFlowOf({})],
    ...more,
  });
  await platform.table.transact(campaignWrites(campaign));
  return campaign;
}

/** Changes the world's partnership. */
export async function changePartnership({ platform, demo }: World, more: Partial<Partnership>): Promise<void> {
  const found = await platform.campaigns.partnership(demo.partnership.uuid);
  if (!found) throw new Error('the world has no partnership');
  await platform.table.write(partnershipWrite({ ...found.partnership, ...more }));
}
