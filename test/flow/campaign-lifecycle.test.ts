import { DeleteScheduleCommand, ListSchedulesCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Partnership } from '../../shared/domain/partnership.ts';
import { endCampaign, pauseCampaign, resumeCampaign } from '../../shared/operations/campaign/change-campaign.ts';
import { launchCampaign } from '../../shared/operations/campaign/write-campaign.ts';
import { cannot, useFlow } from './support/flow.ts';
import { send } from './support/http.ts';
import { type Subscriber, subscribe } from './support/webhooks.ts';

const flow = useFlow();

/** A schedule takes effect within this time: events pass the outbox and two queues, and times are rounded up. */
const limit = { timeout: 30_000, interval: 100 };
const instant = (inSeconds: number) => new Date(Date.now() + inSeconds * 1000).toISOString();

async function partnership(): Promise<Partnership> {
  const found = await flow.platform.partnerships.find(flow.demo.partnership.uuid);
  if (!found) throw new Error('the demonstration has no partnership');
  return found;
}

/** Applies and approves a campaign in which the partner owns every part. */
async function apply(schedule: { readonly startsAt?: string; readonly endsAt?: string }): Promise<number> {
  const flows = [{ trigger: { type: 'SPEND' }, actions: [{ kind: 'AWARD_POINTS', pointsPerDollarBp: 10_000 }] }];
  const file = { name: 'By the clock', type: 'EARN', flows, ...schedule };
  const origin = { partnership: await partnership(), as: { id: flow.demo.partner.id } };
  return (await launchCampaign(file, origin, flow.platform)).id;
}

/** Returns the campaign's is_active from endpoint 9, read by the partner. */
async function isActive(id: number): Promise<number | undefined> {
  const url = `${flow.hosts.campaign}/campaigns?campaign_types=1`;
  const { body } = await send('GET', url, { key: flow.demo.partner.apiKey });
  return body.data.campaigns.find((campaign: { id: number }) => campaign.id === id)?.is_active;
}

/** Deletes the schedules of a campaign as soon as they exist. */
async function loseSchedules(id: number, count: number): Promise<void> {
  const { aws } = flow;
  if (!aws) throw new Error('there is no address of the services');
  const scheduler = new SchedulerClient({ endpoint: aws.scheduler, region: aws.region });
  const list = async () =>
    (await scheduler.send(new ListSchedulesCommand({ NamePrefix: `campaign-${id}-` }))).Schedules ?? [];
  await expect.poll(list, limit).toHaveLength(count);
  for (const { GroupName, Name } of await list()) {
    await scheduler.send(new DeleteScheduleCommand({ GroupName, Name }));
  }
  expect(await list()).toEqual([]);
  scheduler.destroy();
}

const statusOf = async (id: number) => (await flow.platform.campaignRecords.find(id))?.live?.status;
const heard = (subscriber: Subscriber, id: number) => subscriber.namesAbout(String(id));

// Each waits for its campaign's times, so they wait together.
describe.skipIf(cannot.reachTable || cannot.receiveWebhooks)('a campaign with a schedule', { concurrent: true }, () => {
  let merchant: Subscriber;
  let partner: Subscriber;
  beforeAll(async () => {
    merchant = await subscribe(flow, flow.demo.merchant);
    partner = await subscribe(flow, flow.demo.partner);
  });
  afterAll(async () => {
    await merchant.close();
    await partner.close();
  });

  it('starts and ends on time, with one event each', async ({ expect }) => {
    const [startsAt, endsAt] = [instant(8), instant(14)];
    const id = await apply({ startsAt, endsAt });
    expect(await statusOf(id)).toBe('SCHEDULED');
    expect(await isActive(id)).toBe(0);

    await expect.poll(() => statusOf(id), limit).toBe('ACTIVE');
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(startsAt));
    await expect.poll(() => statusOf(id), limit).toBe('ENDED');
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(endsAt));
    expect(await isActive(id)).toBe(0);

    for (const side of [merchant, partner]) {
      await expect.poll(() => heard(side, id), limit).toEqual(['campaign_activated', 'campaign_ended']);
    }
  });

  it('sends one event each time a side pauses, resumes or ends it', async ({ expect }) => {
    const id = await apply({ endsAt: instant(12) });
    expect(await isActive(id)).toBe(1);

    const act = { campaignId: id, as: { id: flow.demo.partner.id } };
    await pauseCampaign(act, flow.platform);
    expect(await isActive(id)).toBe(0);
    await resumeCampaign(act, flow.platform);
    expect(await isActive(id)).toBe(1);
    await endCampaign(act, flow.platform);
    expect(await isActive(id)).toBe(0);

    // Another campaign, the marker, ends later by schedule. A late event of the first campaign would arrive before the
    // marker's events.
    const marker = await apply({ endsAt: instant(13) });
    await expect.poll(() => heard(partner, marker), limit).toEqual(['campaign_activated', 'campaign_ended']);
    expect(heard(partner, id)).toEqual([
      'campaign_activated',
      'campaign_ended',
      'campaign_updated',
      'campaign_updated',
    ]);
  });
});

describe.skipIf(cannot.lookInside)('a campaign whose one-time schedule is lost', () => {
  it('is ended by the next hourly sweep', async () => {
    const id = await apply({ endsAt: instant(6) });
    await loseSchedules(id, 1);
    await expect.poll(() => isActive(id), limit).toBe(0);
    expect(await statusOf(id)).toBe('ACTIVE');

    expect((await flow.inside.invoke('consumers/sweep-campaigns', {})).error).toBeUndefined();
    await expect.poll(() => statusOf(id), limit).toBe('ENDED');
  });
});
