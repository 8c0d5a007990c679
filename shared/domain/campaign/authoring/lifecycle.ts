import { type Campaign, type CampaignStatus, campaignStatesBefore, type Pause } from '../document/campaign.ts';
import { type ManagedCampaign, statusOf } from '../document/record.ts';
import { ownersOfActions } from '../document/tree.ts';
import { type Act, type CampaignChange, changed, type Outcome, refused, strangerRefusal } from './outcome.ts';

/**
 * What happens to a campaign once it is approved. Every function is pure: it tells what is to be written
 * and which events go with it, or why not.
 */

/**
 * Stops a campaign from rewarding what happens from now on, until the same side resumes it. Either side may:
 * nobody has to go on paying.
 */
export function pause(campaign: ManagedCampaign, act: Act): Outcome {
  return (
    strangerRefusal(campaign, act) ??
    moved(campaign, 'PAUSED', (live) =>
      changed(
        campaign,
        { record: { pausedBy: act.organisationId }, live: { ...live, pauses: withPause(live.pauses, act.now) } },
        'campaign_updated',
      ),
    )
  );
}

function withPause(pauses: readonly Pause[], now: Date): Pause[] {
  return [...pauses, { from: now.toISOString(), to: null }];
}

/** Lets a paused campaign reward again what happens from now on; only whoever paused it may. */
export function resume(campaign: ManagedCampaign, act: Act): Outcome {
  const { record, live } = campaign;
  const stranger = strangerRefusal(campaign, act);
  if (stranger) return stranger;
  if (live?.status !== 'PAUSED') return refused(`campaign ${record.id} is ${statusOf(campaign)}, not PAUSED`);
  if (record.pausedBy !== null && record.pausedBy !== act.organisationId) {
    return refused(`organisation ${record.pausedBy} paused campaign ${record.id}, and it alone can resume it`);
  }
  return moved(campaign, 'ACTIVE', (active) =>
    changed(
      campaign,
      { record: { pausedBy: null }, live: { ...active, pauses: withoutPause(active.pauses, act.now) } },
      'campaign_updated',
    ),
  );
}

function withoutPause(pauses: readonly Pause[], now: Date): Pause[] {
  return pauses.map((pause) => (pause.to === null ? { ...pause, to: now.toISOString() } : pause));
}

/**
 * Starts a scheduled campaign now. Whoever else owns an action has approved the start as it stands, so
 * that only a campaign of one party starts early by hand.
 */
export function activate(campaign: ManagedCampaign, act: Act): Outcome {
  const { record, live } = campaign;
  const stranger = strangerRefusal(campaign, act);
  if (stranger) return stranger;
  if (live?.status !== 'SCHEDULED') return refused(`campaign ${record.id} is ${statusOf(campaign)}, not SCHEDULED`);
  const others = ownersOfActions(live).filter((owner) => owner !== act.organisationId);
  if (others.length > 0) {
    const start = `edit its start, so that organisation ${others.join(', ')} can approve it`;
    return refused(`others own actions of campaign ${record.id} too: ${start}`);
  }
  const startsAt = act.now.toISOString();
  return moved(campaign, 'ACTIVE', (active) =>
    changed(
      campaign,
      { record: { draft: withStart(campaign, startsAt) }, live: { ...active, startsAt } },
      'campaign_activated',
    ),
  );
}

/** The next version starts with the one that runs, unless it was given a start of its own. */
function withStart({ record: { draft }, live }: ManagedCampaign, startsAt: string) {
  if (draft === null || draft.campaign.startsAt !== live?.startsAt) return draft;
  return { ...draft, campaign: { ...draft.campaign, startsAt } };
}

/** Ends a campaign for good, and with it the work on a next version. Either side may. */
export function end(campaign: ManagedCampaign, act: Act): Outcome {
  const endsAt = act.now.toISOString();
  return (
    strangerRefusal(campaign, act) ??
    moved(campaign, 'ENDED', (live) =>
      changed(
        campaign,
        { record: { draft: null, pausedBy: null }, live: { ...live, endsAt: earlier(live.endsAt, endsAt) } },
        'campaign_ended',
      ),
    )
  );
}

function earlier(one: string | null, other: string): string {
  return one !== null && Date.parse(one) < Date.parse(other) ? one : other;
}

/** Takes a campaign away that was never approved, or that is over. Only the side that made it may. */
export function remove(campaign: ManagedCampaign, act: Act): Outcome {
  const { record, live } = campaign;
  const stranger = strangerRefusal(campaign, act);
  if (stranger) return stranger;
  if (record.ownerId !== act.organisationId) {
    return refused(`organisation ${record.ownerId} made campaign ${record.id}, and it alone can delete it`);
  }
  const status = statusOf(campaign);
  if (status !== 'DRAFT' && status !== 'ENDED') {
    return refused(`campaign ${record.id} is ${status}: only a DRAFT or an ENDED campaign can be deleted`);
  }
  if (live === null) return changed(campaign, { record: { isDeleted: true } });
  return changed(campaign, { record: { isDeleted: true }, live: { ...live, isDeleted: true } }, 'campaign_updated');
}

/**
 * The state as the clock has it: started when the start is reached, ended when the end is. Whatever was
 * missed is made up for, in one change.
 *
 * @returns undefined when nothing is due
 */
export function advance(campaign: ManagedCampaign, now: Date): CampaignChange | undefined {
  const { live } = campaign;
  if (live === null || live.isDeleted) return undefined;
  const isStarting = live.status === 'SCHEDULED' && isReached(live.startsAt, now);
  const isOver = live.status !== 'ENDED' && isReached(live.endsAt, now);
  const started = isStarting ? (['campaign_activated'] as const) : [];
  if (isOver) {
    const record = { draft: null, pausedBy: null };
    return changed(campaign, { record, live: { ...live, status: 'ENDED' } }, ...started, 'campaign_ended');
  }
  return isStarting ? changed(campaign, { live: { ...live, status: 'ACTIVE' } }, ...started) : undefined;
}

/** Whether an instant has come. */
export function isReached(instant: string | null, now: Date): boolean {
  return instant !== null && Date.parse(instant) <= now.getTime();
}

/** The change of a campaign to another state, when it can become that. */
function moved(campaign: ManagedCampaign, next: CampaignStatus, change: (live: Campaign) => CampaignChange): Outcome {
  const before = campaignStatesBefore(next);
  const { live, record } = campaign;
  if (live !== null && before.includes(live.status)) return change({ ...live, status: next });
  const allowed = before.filter((status) => status !== 'DRAFT' && status !== 'IN_REVIEW').join(' or ');
  return refused(`campaign ${record.id} is ${statusOf(campaign)}: only from ${allowed} it becomes ${next}`);
}
