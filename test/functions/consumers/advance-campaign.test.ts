import { beforeAll, describe, expect, it } from 'vitest';
import { handler } from '../../../functions/consumers/advance-campaign/handler.ts';
import { end, pause } from '../../../shared/domain/campaign/authoring/lifecycle.ts';
import { approve, edit, editable } from '../../../shared/domain/campaign/authoring/review.ts';
import type { ManagedCampaign } from '../../../shared/domain/campaign/document/campaign.ts';
import { advanceCampaign } from '../../../shared/operations/campaign/advance-campaign.ts';
import { CampaignConflictError } from '../../../shared/store/campaign/campaign-records.ts';
import { asDocument, own } from '../../domain/campaign-fixtures.ts';
import { aContext } from '../../support/call.ts';
import { at, byMerchant, byPartner, CampaignDesk } from '../../support/campaign-desk.ts';
import { sqsEvent } from '../../support/test-queue.ts';
import { makeWorld, type World, withSources } from '../../support/world.ts';

let world: World;
let desk: CampaignDesk;
beforeAll(async () => {
  world = await makeWorld();
  desk = await CampaignDesk.open(world.table);
});

/** A campaign from 13:00 to 14:00. */
const scheduled = () => desk.approved(own, { startsAt: at(60), endsAt: at(120) });
const statusOf = async (campaign: ManagedCampaign) => (await desk.read(campaign)).live?.status;
const partnersHeard = async (campaign: ManagedCampaign) =>
  (await desk.told(campaign)).filter((name) => name !== 'campaign_scheduled');

/** Delivers the message of a schedule. The message is due at `dueAt` and arrives at `now`. */
function strike({ record }: ManagedCampaign, dueAt: string, now = dueAt): Promise<void> {
  return advanceCampaign({ campaignId: record.id, dueAt }, withSources(world, { now: () => new Date(now) }));
}

describe('a campaign with a schedule', () => {
  it('starts and ends on time, with one event each', async () => {
    const campaign = await scheduled();

    await strike(campaign, at(60));
    expect(await statusOf(campaign)).toBe('ACTIVE');
    await strike(campaign, at(120));
    expect(await statusOf(campaign)).toBe('ENDED');
    expect(await partnersHeard(campaign)).toEqual(['campaign_activated', 'campaign_ended']);
  });

  it('starts only once when its messages are repeated and parallel', async () => {
    const campaign = await scheduled();

    await Promise.all(Array.from({ length: 10 }, () => strike(campaign, at(60))));
    await strike(campaign, at(60));
    expect(await partnersHeard(campaign)).toEqual(['campaign_activated']);
  });

  it('starts and ends at once when its messages arrive after the end', async () => {
    const campaign = await scheduled();

    await strike(campaign, at(60), at(500));
    await strike(campaign, at(120), at(500));
    expect(await statusOf(campaign)).toBe('ENDED');
    expect(await partnersHeard(campaign)).toEqual(['campaign_activated', 'campaign_ended']);
  });

  it('does not start when its message arrives early', async () => {
    const campaign = await scheduled();

    await expect(strike(campaign, at(60), at(59.99))).rejects.toThrow(/is due later, at /);
    expect(await statusOf(campaign)).toBe('SCHEDULED');
  });

  it('ignores the message for its former start', async () => {
    const campaign = await scheduled();
    const document = asDocument(editable(campaign) ?? own(), { startsAt: at(90) });
    await desk.carryOut(campaign, (now) => edit(now, { document, nextPartId: 9 }, byPartner));
    await desk.carryOut(campaign, (now) => approve(now, byPartner));

    await strike(campaign, at(60));
    expect(await statusOf(campaign)).toBe('SCHEDULED');
    await strike(campaign, at(90));
    expect(await partnersHeard(campaign)).toEqual(['campaign_activated', 'campaign_updated']);
  });

  it('stays unchanged when it was ended or paused by hand', async () => {
    const ended = await scheduled();
    await desk.carryOut(ended, (now) => end(now, byMerchant));
    await strike(ended, at(60));
    await strike(ended, at(120));
    expect(await partnersHeard(ended)).toEqual(['campaign_ended']);

    const paused = await desk.approved(own, { endsAt: at(120) });
    await desk.carryOut(paused, (now) => pause(now, byMerchant));
    await strike(paused, at(60));
    expect(await statusOf(paused)).toBe('PAUSED');
    await strike(paused, at(120));
    expect(await partnersHeard(paused)).toEqual(['campaign_activated', 'campaign_ended', 'campaign_updated']);
  });

  it('is decided again when the write conflicts with a concurrent change', async () => {
    const campaign = await scheduled();
    const platform = withSources(world, { now: () => new Date(at(60)) });
    let writes = 0;
    const records = {
      find: (id: number) => platform.campaignRecords.find(id),
      write: async (...args: Parameters<typeof platform.campaignRecords.write>) => {
        writes += 1;
        if (writes < 3) throw new CampaignConflictError(campaign.record.id);
        return platform.campaignRecords.write(...args);
      },
    };
    await advanceCampaign({ campaignId: campaign.record.id, dueAt: at(60) }, { ...platform, campaignRecords: records });
    expect([writes, await statusOf(campaign)]).toEqual([3, 'ACTIVE']);
  });
});

describe('a faulty message to advance-campaign', () => {
  it('fails alone in its batch', async () => {
    const campaign = await desk.approved(own, { endsAt: at(1) });
    const details = [
      { campaignId: campaign.record.id, dueAt: at(1) },
      { campaignId: 99_999, dueAt: at(1) },
      { campaignId: 'x' },
    ];

    const { batchItemFailures } = await handler(sqsEvent(...details.map((detail) => ({ detail }))), aContext);
    expect(batchItemFailures).toHaveLength(2);
    expect(await statusOf(campaign)).toBe('ENDED');
  });
});
