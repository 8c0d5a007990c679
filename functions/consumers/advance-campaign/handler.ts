import { CampaignDue } from '../../../shared/contracts/events.ts';
import { maximumAttempts } from '../../../shared/contracts/limits.ts';
import { advance } from '../../../shared/domain/campaign/authoring/lifecycle.ts';
import { dueTimesOf, type ManagedCampaign } from '../../../shared/domain/campaign/document/record.ts';
import { busMessage, consume } from '../../../shared/runtime/consume.ts';
import { logger } from '../../../shared/runtime/log.ts';
import { once } from '../../../shared/runtime/once.ts';
import { type Runtime, runtime, withStores } from '../../../shared/runtime/runtime.ts';
import { CampaignConflictError, CampaignRecords } from '../../../shared/store/campaign/campaign-records.ts';

const advancing = once(() => withStores(runtime(), { campaignRecords: CampaignRecords }));

export interface Advancing extends Pick<Runtime, 'now' | 'nextUuid'> {
  readonly campaignRecords: Pick<CampaignRecords, 'find' | 'write'>;
}

/** Starts or ends a campaign when the clock says that its time has come. */
export const handler = consume({
  message: busMessage(CampaignDue),
  deps: advancing,
  handle: ({ detail }, deps) => advanceCampaign(detail, deps),
});

/**
 * Safe to repeat: what is due is decided from the campaign and the time as they are, so a message that comes
 * twice, late, or after the schedule moved finds nothing to do.
 *
 * @throws when the clock is ahead of ours, or others keep changing the campaign; the message comes again
 */
export async function advanceCampaign(due: CampaignDue, deps: Advancing): Promise<void> {
  for (let round = 1; ; round += 1) {
    try {
      return await advanceOnce(due, deps);
    } catch (error) {
      if (!(error instanceof CampaignConflictError) || round === maximumAttempts.campaignDecision) throw error;
    }
  }
}

async function advanceOnce({ campaignId, dueAt }: CampaignDue, deps: Advancing): Promise<void> {
  const campaign = await deps.campaignRecords.find(campaignId);
  if (!campaign) throw new Error(`there is no campaign ${campaignId}`);
  const now = deps.now();
  const change = advance(campaign, now);
  if (change) return deps.campaignRecords.write(campaign, change, { now, nextUuid: deps.nextUuid });
  if (isAwaited(campaign, dueAt)) throw new Error(`campaign ${campaignId} is due at ${dueAt}, which is still to come`);
  logger().info('campaign.not_due', { campaignId, dueAt });
}

/** Whether the schedule is still as it was when the clock was set. */
function isAwaited({ live }: ManagedCampaign, dueAt: string): boolean {
  const { start, end } = dueTimesOf(live);
  return dueAt === start || dueAt === end;
}
