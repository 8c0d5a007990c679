import { type CampaignDue, campaignDueName, InternalEvent } from '../../../shared/contracts/events.ts';
import { maximumAttempts, timingMs } from '../../../shared/contracts/limits.ts';
import { type DueTimes, dueTimesOf } from '../../../shared/domain/campaign/document/record.ts';
import type { BusClock } from '../../../shared/events/bus-clock.ts';
import { openClock } from '../../../shared/runtime/clients.ts';
import { busMessage, consume } from '../../../shared/runtime/consume.ts';
import { once } from '../../../shared/runtime/once.ts';
import { runtime, withStores } from '../../../shared/runtime/runtime.ts';
import { CampaignRecords } from '../../../shared/store/campaign/campaign-records.ts';

export interface Scheduling {
  readonly campaignRecords: Pick<CampaignRecords, 'find'>;
  readonly clock: Pick<BusClock, 'set' | 'unset'>;
  readonly now: () => Date;
}

const scheduling = once(
  (): Scheduling => ({
    ...withStores(runtime(), { campaignRecords: CampaignRecords }),
    clock: openClock(runtime().config),
  }),
);

/** Sets the clock to the start and the end of a campaign whose schedule changed. */
export const handler = consume({
  message: busMessage(InternalEvent),
  deps: scheduling,
  handle: ({ detail }, deps) => scheduleCampaign(detail, deps),
});

/**
 * Safe to repeat, and in any order: what counts is the campaign as it is and not what the event told. Of
 * two that set one campaign's clock at once, the one that set it to what is over by now sees so afterwards
 * and sets it anew.
 *
 * @throws when there is no such campaign, or its schedule does not stand still; the message comes again
 */
export async function scheduleCampaign({ entityId }: InternalEvent, deps: Scheduling): Promise<void> {
  const campaignId = Number(entityId);
  let wanted = await dueTimes(campaignId, deps);
  for (let round = 0; round < maximumAttempts.campaignDecision; round += 1) {
    await setClock(campaignId, wanted, deps);
    const now = await dueTimes(campaignId, deps);
    if (now.start === wanted.start && now.end === wanted.end) return;
    wanted = now;
  }
  throw new Error(`the schedule of campaign ${campaignId} does not stand still`);
}

async function dueTimes(campaignId: number, { campaignRecords }: Scheduling): Promise<DueTimes> {
  const campaign = await campaignRecords.find(campaignId);
  if (!campaign) throw new Error(`there is no campaign ${campaignId}`);
  return dueTimesOf(campaign.live);
}

async function setClock(campaignId: number, due: DueTimes, deps: Scheduling): Promise<void> {
  await setReminder(`campaign-${campaignId}-start`, { campaignId, dueAt: due.start }, deps);
  await setReminder(`campaign-${campaignId}-end`, { campaignId, dueAt: due.end }, deps);
}

async function setReminder(
  name: string,
  { campaignId, dueAt }: { readonly campaignId: number; readonly dueAt: string | null },
  { clock, now }: Scheduling,
): Promise<void> {
  if (dueAt === null) return clock.unset(name);
  const at = new Date(Math.max(Date.parse(dueAt), now().getTime() + timingMs.scheduleLead));
  const detail: CampaignDue = { campaignId, dueAt };
  return clock.set({ name, at, detailType: campaignDueName, detail });
}
