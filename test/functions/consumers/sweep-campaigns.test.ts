import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CampaignDue } from '../../../shared/contracts/events.ts';
import { end, pause, remove } from '../../../shared/domain/campaign/authoring/lifecycle.ts';
import { approve, edit, editable } from '../../../shared/domain/campaign/authoring/review.ts';
import type { ManagedCampaign } from '../../../shared/domain/campaign/document/campaign.ts';
import { EventBus } from '../../../shared/events/event-bus.ts';
import { advanceCampaign } from '../../../shared/operations/campaign/advance-campaign.ts';
import { sweepCampaigns } from '../../../shared/operations/campaign/sweep-campaigns.ts';
import { asDocument, own } from '../../domain/campaign-fixtures.ts';
import { at, byMerchant, byPartner, CampaignDesk } from '../../support/campaign-desk.ts';
import { startPutEventsReceiver } from '../../support/put-events-receiver.ts';
import { silentLog } from '../../support/silent-log.ts';
import { makeTestTable } from '../../support/test-table.ts';

type Receiver = Awaited<ReturnType<typeof startPutEventsReceiver>>;

let desk: CampaignDesk;
let receiver: Receiver;
beforeEach(async () => {
  // Each test has its own table, so no test finds the overdue campaigns of another test.
  desk = await CampaignDesk.open(await makeTestTable());
});
afterEach(() => receiver.close());

/** Sweeps once and returns the events on the bus. */
async function sweep(now: string, takes: Parameters<typeof startPutEventsReceiver>[0] = () => true) {
  await receiver?.close();
  receiver = await startPutEventsReceiver(takes);
  const bus = new EventBus(receiver.client, 'rewards', () => 0.01);
  await sweepCampaigns({ campaignRecords: desk.records, bus, now: () => new Date(now), log: silentLog().log });
  return receiver.taken.map(({ Detail }) => CampaignDue.parse(JSON.parse(Detail)));
}

/** Processes the events on the bus. */
async function obey(told: readonly CampaignDue[], now: string): Promise<void> {
  const deps = {
    campaignRecords: desk.records,
    now: () => new Date(now),
    nextUuid: () => crypto.randomUUID(),
    log: silentLog().log,
    table: { pause: async () => {} },
  };
  for (const due of told) await advanceCampaign(due, deps);
}

const due = ({ record }: ManagedCampaign, dueAt: string): CampaignDue => ({ campaignId: record.id, dueAt });
const statusOf = async (campaign: ManagedCampaign) => (await desk.read(campaign)).live?.status;

describe('a campaign whose schedule was lost', () => {
  it('is put on the bus after a missed start and after a missed end', async () => {
    const campaign = await desk.approved(own, { startsAt: at(60), endsAt: '2026-03-08T15:00:00+01:00' });

    expect(await sweep(at(59.9))).toEqual([]);
    const started = await sweep(at(61));
    expect(started).toEqual([due(campaign, at(60))]);
    expect(receiver.taken).toMatchObject([{ Source: 'rewards.platform', DetailType: 'campaign_due' }]);
    await obey(started, at(61));
    expect(await statusOf(campaign)).toBe('ACTIVE');

    expect(await sweep(at(119))).toEqual([]);
    const ended = await sweep(at(5_000));
    expect(ended).toEqual([due(campaign, at(120))]);
    await obey(ended, at(5_000));
    expect(await statusOf(campaign)).toBe('ENDED');
    expect(await sweep(at(9_000))).toEqual([]);
    expect(await desk.told(campaign)).toEqual(['campaign_activated', 'campaign_ended', ...scheduled(3)]);
  });

  it('is put on the bus until it is processed', async () => {
    const campaign = await desk.approved(own, { startsAt: at(60), endsAt: null });
    expect(await sweep(at(70))).toEqual([due(campaign, at(60))]);
    expect(await sweep(at(130))).toEqual([due(campaign, at(60))]);
  });

  it('is put on the bus before campaigns that were due later', async () => {
    const minutes = Array.from({ length: 23 }, (_, index) => 60 + index);
    const campaigns = [];
    for (const minute of minutes) campaigns.push(await desk.approved(own, { startsAt: at(minute), endsAt: at(900) }));
    expect(await sweep(at(1_000))).toEqual(campaigns.map((campaign, index) => due(campaign, at(minutes[index] ?? 0))));
  });
});

describe('the sweep of campaigns', () => {
  it('finds a rescheduled campaign at its new start', async () => {
    const campaign = await desk.approved(own, { startsAt: at(60), endsAt: null });
    const document = asDocument(editable(campaign) ?? own(), { startsAt: at(90) });
    await desk.carryOut(campaign, (now) => edit(now, { document, nextPartId: 9 }, byPartner));
    await desk.carryOut(campaign, (now) => approve(now, byPartner));

    expect(await sweep(at(80))).toEqual([]);
    expect(await sweep(at(91))).toEqual([due(campaign, at(90))]);
  });

  it('finds a paused campaign at its end', async () => {
    const campaign = await desk.approved(own, { endsAt: at(90) });
    await desk.carryOut(campaign, (now) => pause(now, byMerchant));
    expect(await sweep(at(91))).toEqual([due(campaign, at(90))]);
  });

  it('finds no draft, endless, ended or deleted campaign', async () => {
    await desk.begin(own, { startsAt: at(10), endsAt: at(20) });
    await desk.approved(own, { endsAt: null });
    await desk.carryOut(await desk.approved(own, { endsAt: at(20) }), (now) => end(now, byMerchant));
    const deleted = await desk.approved(own, { endsAt: at(20) });
    await desk.carryOut(deleted, (now) => end(now, byMerchant));
    await desk.carryOut(deleted, (now) => remove(now, byPartner));

    expect(await sweep(at(10_000))).toEqual([]);
  });
});

describe('a bus that refuses some events', () => {
  it('receives the refused events from the next sweep', async () => {
    const one = await desk.approved(own, { startsAt: at(60), endsAt: null });
    const other = await desk.approved(own, { startsAt: at(61), endsAt: null });
    const isOther = ({ Detail }: { Detail: string }) => Detail.includes(`:${other.record.id},`);

    await expect(sweep(at(70), (entry) => !isOther(entry))).rejects.toThrow('the bus took 1 of 2 due events');
    await obey([due(one, at(60))], at(70));
    expect(await sweep(at(70))).toEqual([due(other, at(61))]);
  });
});

const scheduled = (times: number) => Array.from({ length: times }, () => 'campaign_scheduled');
