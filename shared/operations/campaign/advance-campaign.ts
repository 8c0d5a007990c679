import type { CampaignDue } from '../../contracts/events.ts';
import { advance } from '../../domain/campaign/authoring/lifecycle.ts';
import { dueTimesOf, type ManagedCampaign } from '../../domain/campaign/document/campaign.ts';
import { CampaignConflictError, CampaignRecords } from '../../store/campaign/campaign-records.ts';
import type { Deps } from '../operation.ts';
import { decideAndWrite } from '../operation.ts';

export const advanceCampaignStores = { campaignRecords: CampaignRecords };

interface AdvanceDeps extends Pick<Deps, 'log' | 'now' | 'nextUuid'> {
  readonly campaignRecords: Pick<CampaignRecords, 'find' | 'write'>;
  readonly table: Pick<Deps['table'], 'pause'>;
}

/**
 * Starts or ends a campaign whose start or end is due.
 *
 * Safe to repeat: it decides from the present campaign and the present time. An event that arrives twice, late, or
 * after the schedule changed has no effect.
 *
 * @throws Error when the campaign is not found, or the scheduler's clock is ahead of the platform's clock
 * @throws ContentionError when other writers keep changing the campaign
 */
export function advanceCampaign({ campaignId, dueAt }: CampaignDue, deps: AdvanceDeps): Promise<void> {
  return decideAndWrite(
    {
      subject: `campaign ${campaignId}`,
      load: () => deps.campaignRecords.find(campaignId),
      write: async (campaign) => {
        if (!campaign) throw new Error(`there is no campaign ${campaignId}`);
        const now = deps.now();
        const change = advance(campaign, now);
        if (change) return deps.campaignRecords.write(campaign, change, { now, nextUuid: deps.nextUuid });
        if (isScheduledAt(dueAt, campaign)) throw new Error(`campaign ${campaignId} is due later, at ${dueAt}`);
        deps.log.info('campaign.not_due', { campaignId, dueAt });
      },
      conflicts: [CampaignConflictError],
    },
    deps,
  );
}

/** Whether the campaign's schedule still contains the instant that the event reports. */
function isScheduledAt(dueAt: string, { live }: ManagedCampaign): boolean {
  const { start, end } = dueTimesOf(live);
  return dueAt === start || dueAt === end;
}
