import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CampaignDue } from '../../../shared/contracts/events.ts';
import { activate, end } from '../../../shared/domain/campaign/authoring/lifecycle.ts';
import { approve, edit, editable } from '../../../shared/domain/campaign/authoring/review.ts';
import type { ManagedCampaign } from '../../../shared/domain/campaign/document/campaign.ts';
import { BusClock } from '../../../shared/events/bus-clock.ts';
import { type ScheduleDeps, scheduleCampaign } from '../../../shared/operations/campaign/schedule-campaign.ts';
import { createScheduler, type StoredSchedule } from '../../../tools/local/scheduler/scheduler.ts';
import { createSchedulerServer } from '../../../tools/local/scheduler/server.ts';
import { asDocument, own } from '../../domain/campaign-fixtures.ts';
import { noon } from '../../domain/fixtures.ts';
import { at, byPartner, CampaignDesk } from '../../support/campaign-desk.ts';
import { makeTestTable } from '../../support/test-table.ts';
import { manualClock } from '../../tools/local/support/manual-clock.ts';

const bus = 'arn:aws:events:us-east-1:000000000000:event-bus/platform';
const queue = 'arn:aws:sqs:us-east-1:000000000000:untold';
const time = manualClock(noon.toISOString());
const told: { readonly detailType: string; readonly detail: unknown; readonly at: string }[] = [];
/** The messages in the dead-letter queue, each with its reason. */
const kept: { readonly detail: CampaignDue; readonly why: unknown }[] = [];
/** The error with which the bus refuses events. Undefined: the bus accepts them. */
let refusal: Error | undefined;
const scheduler = createScheduler({
  accountId: '000000000000',
  region: 'us-east-1',
  groups: ['campaigns'],
  schedules: [],
  clock: time,
  invokeTarget: async (target, payload) => {
    if (target.kind === 'sqs' && target.arn === queue) {
      kept.push({ detail: JSON.parse(payload), why: target.messageAttributes });
      return;
    }
    if (target.kind !== 'event-bus' || target.arn !== bus) throw new Error('wrong target');
    if (refusal) throw refusal;
    told.push({ detailType: target.detailType, detail: JSON.parse(payload), at: new Date(time.now()).toISOString() });
  },
});
const server = createSchedulerServer(scheduler);

let desk: CampaignDesk;
let deps: ScheduleDeps;
let client: SchedulerClient;
beforeAll(async () => {
  desk = await CampaignDesk.open(await makeTestTable());
  const credentials = { accessKeyId: 'any', secretAccessKey: 'any' };
  client = new SchedulerClient({ endpoint: await server.listen(), region: 'us-east-1', credentials, maxAttempts: 1 });
  const roleArn = 'arn:aws:iam::000000000000:role/clock';
  const settings = { groupName: 'campaigns', roleArn, targetArn: bus, deadLetterArn: queue };
  deps = {
    campaignRecords: desk.records,
    clock: new BusClock(client, settings),
    now: () => new Date(time.now()),
    table: { pause: async () => {} },
  };
});
afterAll(async () => {
  client.destroy();
  scheduler.close();
  await server.close();
});

function schedule({ record }: ManagedCampaign, with_ = deps): Promise<void> {
  const event = { id: 'e', name: 'campaign_scheduled', entityId: String(record.id), occurredAt: at(0) } as const;
  return scheduleCampaign(event, with_);
}

/** Returns a campaign's schedules: name suffix and due time. */
function schedulesOf({ record }: ManagedCampaign): Record<string, string> {
  const prefix = `campaign-${record.id}-`;
  const isOwn = ({ definition }: StoredSchedule) => definition.Name.startsWith(prefix);
  const own = scheduler.list().filter(isOwn);
  return Object.fromEntries(
    own.map(({ definition }) => [definition.Name.slice(prefix.length), definition.ScheduleExpression]),
  );
}

describe("a campaign's schedules", () => {
  it('send an event at the start and at the end', async () => {
    const campaign = await desk.approved(own, { startsAt: at(60), endsAt: '2026-03-08T14:00:00.001Z' });
    await schedule(campaign);
    await schedule(campaign);
    expect(schedulesOf(campaign)).toEqual({ start: 'at(2026-03-08T13:00:00)', end: 'at(2026-03-08T14:00:01)' });

    const { id: campaignId } = campaign.record;
    await time.moveTo(Date.parse(at(125)));
    expect(told).toEqual([
      { detailType: 'campaign_due', detail: { campaignId, dueAt: at(60) }, at: at(60) },
      {
        detailType: 'campaign_due',
        detail: { campaignId, dueAt: '2026-03-08T14:00:00.001Z' },
        at: '2026-03-08T14:00:01.000Z',
      },
    ]);
    await expect.poll(() => schedulesOf(campaign)).toEqual({});
  });

  it('are changed by an edit and by an early start', async () => {
    const campaign = await desk.approved(own, { startsAt: at(600), endsAt: at(700) });
    await schedule(campaign);

    const document = asDocument(editable(campaign) ?? own(), { startsAt: at(660), endsAt: null });
    await desk.carryOut(campaign, (now) => edit(now, { document, nextPartId: 9 }, byPartner));
    await desk.carryOut(campaign, (now) => approve(now, byPartner));
    await schedule(campaign);
    expect(schedulesOf(campaign)).toEqual({ start: 'at(2026-03-08T23:00:00)' });

    await desk.carryOut(campaign, (now) => activate(now, byPartner));
    await schedule(campaign);
    expect(schedulesOf(campaign)).toEqual({});
  });

  it('are deleted when the campaign ends', async () => {
    const campaign = await desk.approved(own, { startsAt: at(600), endsAt: at(700) });
    await schedule(campaign);
    await desk.carryOut(campaign, (now) => end(now, byPartner));
    await schedule(campaign);
    await schedule(campaign);
    expect(schedulesOf(campaign)).toEqual({});
    await schedule(await desk.begin(own, { startsAt: at(600) }));
  });

  it('are set a few seconds ahead when the start has passed', async () => {
    const campaign = await desk.approved(own, { startsAt: at(60), endsAt: at(900) });
    await schedule(campaign);
    expect(schedulesOf(campaign).start).toBe('at(2026-03-08T14:05:05)');
  });

  it('are set again when the campaign changed while the consumer set them', async () => {
    const campaign = await desk.approved(own, { startsAt: at(600), endsAt: null });
    const document = asDocument(editable(campaign) ?? own(), { startsAt: at(610) });
    let sets = 0;
    const clock = {
      unset: (name: string) => deps.clock.unset(name),
      set: async (reminder: Parameters<BusClock['set']>[0]) => {
        sets += 1;
        // The start moves, and another consumer sets its schedule, before this consumer writes the former start.
        if (sets === 1) {
          await desk.carryOut(campaign, (now) => edit(now, { document, nextPartId: 9 }, byPartner));
          await desk.carryOut(campaign, (now) => approve(now, byPartner));
          await schedule(campaign);
        }
        await deps.clock.set(reminder);
      },
    };
    await schedule(campaign, { ...deps, clock });
    expect(schedulesOf(campaign)).toEqual({ start: 'at(2026-03-08T22:10:00)' });
    expect(sets).toBe(2);
  });

  it('make the consumer fail, to be retried, when the campaign keeps changing', async () => {
    const campaign = await desk.approved(own, { startsAt: at(600) });
    let minute = 600;
    const campaignRecords = {
      find: async () => {
        minute += 1;
        return { ...campaign, live: own({ status: 'SCHEDULED', startsAt: at(minute) }) };
      },
    };
    await expect(schedule(campaign, { ...deps, campaignRecords })).rejects.toThrow(
      /schedule of campaign \d+ kept changing/,
    );
  });

  it('send their event to the dead-letter queue when the bus refuses it', async () => {
    const dueAt = () => new Date(time.now() + 60_000).toISOString();
    const keptOf = ({ record }: ManagedCampaign) => kept.filter(({ detail }) => detail.campaignId === record.id);
    const reasons = (more: object) => expect.objectContaining({ TARGET_ARN: bus, ...more });

    refusal = Object.assign(new Error('may not'), { retryable: false });
    const denied = await desk.approved(own, { startsAt: dueAt(), endsAt: null });
    await schedule(denied);
    await time.advance(120_000);
    await expect.poll(() => keptOf(denied)).toMatchObject([{ why: reasons({ RETRY_ATTEMPTS: '0' }) }]);

    refusal = new Error('is down');
    const startsAt = dueAt();
    const unheard = await desk.approved(own, { startsAt, endsAt: null });
    await schedule(unheard);
    await time.advance(3_600_000);
    expect(keptOf(unheard)).toEqual([]);
    await time.advance(24 * 3_600_000);
    const why = reasons({ ERROR_MESSAGE: 'is down', RETRY_ATTEMPTS: '185' });
    await expect
      .poll(() => keptOf(unheard))
      .toEqual([{ detail: { campaignId: unheard.record.id, dueAt: startsAt }, why }]);
    refusal = undefined;
  });

  it('are not set when the campaign is unknown', async () => {
    await expect(schedule({ record: { id: 1 } } as ManagedCampaign)).rejects.toThrow('there is no campaign 1');
  });
});
