import { type CampaignDue, campaignDueName, type InternalEvent } from '../../contracts/events.ts';
import { timingMs } from '../../contracts/limits.ts';
import { type DueTimes, dueTimesOf } from '../../domain/campaign/document/campaign.ts';
import type { BusClock } from '../../events/bus-clock.ts';
import { CampaignRecords } from '../../store/campaign/campaign-records.ts';
import type { Deps } from '../operation.ts';
import { decideAndWrite } from '../operation.ts';

export const scheduleCampaignStores = { campaignRecords: CampaignRecords };

export interface ScheduleDeps extends Pick<Deps, 'now'> {
  readonly campaignRecords: Pick<CampaignRecords, 'find'>;
  readonly clock: Pick<BusClock, 'set' | 'unset'>;
  readonly table: Pick<Deps['table'], 'pause'>;
}

/** The schedule moved while the reminders were being set. */
class ScheduleMovedError extends Error {
  override readonly name = 'ScheduleMovedError';
}

/**
 * Sets the reminders for the start and the end of a campaign.
 *
 * Safe to repeat, and events may arrive in any sequence: each run uses the present schedule of the campaign. Each run
 * reads the campaign again after it has set the reminders. If another schedule is stored by then, the run sets the
 * reminders once more.
 *
 * @throws Error when the campaign is not found
 * @throws ContentionError when the schedule keeps moving
 */
export function scheduleCampaign({ entityId }: InternalEvent, deps: ScheduleDeps): Promise<void> {
  const campaignId = Number(entityId);
  return decideAndWrite(
    {
      subject: `the schedule of campaign ${campaignId}`,
      load: () => loadDueTimes(campaignId, deps),
      write: async (due) => {
        await setReminder(`campaign-${campaignId}-start`, { campaignId, dueAt: due.start }, deps);
        await setReminder(`campaign-${campaignId}-end`, { campaignId, dueAt: due.end }, deps);
        const current = await loadDueTimes(campaignId, deps);
        if (current.start !== due.start || current.end !== due.end) throw new ScheduleMovedError();
      },
      conflicts: [ScheduleMovedError],
    },
    deps,
  );
}

async function loadDueTimes(campaignId: number, { campaignRecords }: ScheduleDeps): Promise<DueTimes> {
  const campaign = await campaignRecords.find(campaignId);
  if (!campaign) throw new Error(`there is no campaign ${campaignId}`);
  return dueTimesOf(campaign.live);
}

async function setReminder(
  name: string,
  { campaignId, dueAt }: { readonly campaignId: number; readonly dueAt: string | null },
  { clock, now }: ScheduleDeps,
): Promise<void> {
  if (dueAt === null) return clock.unset(name);
  const at = new Date(Math.max(Date.parse(dueAt), now().getTime() + timingMs.scheduleLead));
  const detail: CampaignDue = { campaignId, dueAt };
  return clock.set({ name, at, detailType: campaignDueName, detail });
}
