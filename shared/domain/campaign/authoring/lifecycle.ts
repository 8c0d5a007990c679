import { isSide } from '../../partnership.ts';
import {
  type ApprovedVersion,
  type Campaign,
  type CampaignStatus,
  campaignStatesBefore,
  type ManagedCampaign,
  type Pause,
  statusOf,
} from '../document/campaign.ts';
import { ownersOfActions } from '../document/tree.ts';

/** The events that partners receive about a campaign (specification, "Campaign lifecycle"). */
export type CampaignEvent = 'campaign_activated' | 'campaign_updated' | 'campaign_ended';

/** A campaign to be written, and the events that the same write sends. */
export interface CampaignChange extends ManagedCampaign {
  readonly kind: 'changed';
  /** In order of time. */
  readonly events: readonly CampaignEvent[];
  /** The version that takes effect, when one does. */
  readonly approved?: ApprovedVersion;
}

/** Why nothing changes, in words for the person who asked. */
export interface RefusedChange {
  readonly kind: 'refused';
  readonly reason: string;
}

export type Outcome = CampaignChange | RefusedChange;

/** Which organisation asks for a change, and when. */
export interface Act {
  readonly organisationId: number;
  readonly now: Date;
}

export const refuse = (reason: string): RefusedChange => ({ kind: 'refused', reason });

/** Changes some fields of the record, or the live version, and keeps the rest. */
export function change(
  { record, live }: ManagedCampaign,
  next: { readonly record?: Partial<ManagedCampaign['record']>; readonly live?: ManagedCampaign['live'] },
  ...events: CampaignEvent[]
): CampaignChange {
  return {
    kind: 'changed',
    record: { ...record, ...next.record, revision: record.revision + 1 },
    live: next.live ?? live,
    events,
  };
}

/** Refuses organisations on neither side of the campaign, and every change of a deleted campaign. */
export function refuseStranger({ record }: ManagedCampaign, { organisationId }: Act): RefusedChange | undefined {
  if (!isSide(organisationId, record)) {
    return refuse(`organisation ${organisationId} is on neither side of the partnership of campaign ${record.id}`);
  }
  return record.isDeleted ? refuse(`campaign ${record.id} is deleted`) : undefined;
}

/**
 * Changes of an approved campaign. Every function is pure: it returns what to write and which events to send,
 * or the reason for a refusal.
 */

/** Pauses a campaign, so that it rewards no event from now on. Either side may; the same side resumes it. */
export function pause(campaign: ManagedCampaign, act: Act): Outcome {
  return (
    refuseStranger(campaign, act) ??
    changeStatus(campaign, 'PAUSED', (live) =>
      change(
        campaign,
        { record: { pausedBy: act.organisationId }, live: { ...live, pauses: startPause(live.pauses, act.now) } },
        'campaign_updated',
      ),
    )
  );
}

function startPause(pauses: readonly Pause[], now: Date): Pause[] {
  return [...pauses, { from: now.toISOString(), to: null }];
}

/** Resumes a paused campaign, so that it rewards events from now on. Only the side that paused it may. */
export function resume(campaign: ManagedCampaign, act: Act): Outcome {
  const { record, live } = campaign;
  const stranger = refuseStranger(campaign, act);
  if (stranger) return stranger;
  if (live?.status !== 'PAUSED') return refuse(`campaign ${record.id} is ${statusOf(campaign)}, not PAUSED`);
  if (record.pausedBy !== null && record.pausedBy !== act.organisationId) {
    return refuse(`only organisation ${record.pausedBy}, which paused campaign ${record.id}, can resume it`);
  }
  return changeStatus(campaign, 'ACTIVE', (active) =>
    change(
      campaign,
      { record: { pausedBy: null }, live: { ...active, pauses: endPause(active.pauses, act.now) } },
      'campaign_updated',
    ),
  );
}

function endPause(pauses: readonly Pause[], now: Date): Pause[] {
  return pauses.map((one) => (one.to === null ? { ...one, to: now.toISOString() } : one));
}

/**
 * Starts a scheduled campaign now. Other owners of an action have approved the scheduled start, so only a
 * campaign with a single owner can start early.
 */
export function activate(campaign: ManagedCampaign, act: Act): Outcome {
  const { record, live } = campaign;
  const stranger = refuseStranger(campaign, act);
  if (stranger) return stranger;
  if (live?.status !== 'SCHEDULED') return refuse(`campaign ${record.id} is ${statusOf(campaign)}, not SCHEDULED`);
  const others = ownersOfActions(live).filter((owner) => owner !== act.organisationId);
  if (others.length > 0) {
    const advice = `edit its start, so that organisation ${others.join(', ')} can approve it`;
    return refuse(`other organisations own actions of campaign ${record.id}: ${advice}`);
  }
  const startsAt = act.now.toISOString();
  return changeStatus(campaign, 'ACTIVE', (active) =>
    change(
      campaign,
      { record: { draft: draftWithStart(campaign, startsAt) }, live: { ...active, startsAt } },
      'campaign_activated',
    ),
  );
}

/** The next version starts with the live one, unless it has another start. */
function draftWithStart({ record: { draft }, live }: ManagedCampaign, startsAt: string) {
  if (draft === null || draft.campaign.startsAt !== live?.startsAt) return draft;
  return { ...draft, campaign: { ...draft.campaign, startsAt } };
}

/** Ends a campaign for good, and discards its next version. Either side may. */
export function end(campaign: ManagedCampaign, act: Act): Outcome {
  const endsAt = act.now.toISOString();
  return (
    refuseStranger(campaign, act) ??
    changeStatus(campaign, 'ENDED', (live) =>
      change(
        campaign,
        { record: { draft: null, pausedBy: null }, live: { ...live, endsAt: earlierOf(live.endsAt, endsAt) } },
        'campaign_ended',
      ),
    )
  );
}

function earlierOf(one: string | null, other: string): string {
  return one !== null && Date.parse(one) < Date.parse(other) ? one : other;
}

/** Deletes a campaign that was never approved or has ended. Only the side that made it may. */
export function remove(campaign: ManagedCampaign, act: Act): Outcome {
  const { record, live } = campaign;
  const stranger = refuseStranger(campaign, act);
  if (stranger) return stranger;
  if (record.ownerId !== act.organisationId) {
    return refuse(`only organisation ${record.ownerId}, which made campaign ${record.id}, can delete it`);
  }
  const status = statusOf(campaign);
  if (status !== 'DRAFT' && status !== 'ENDED') {
    return refuse(`campaign ${record.id} is ${status}: only a DRAFT or an ENDED campaign can be deleted`);
  }
  if (live === null) return change(campaign, { record: { isDeleted: true } });
  return change(campaign, { record: { isDeleted: true }, live: { ...live, isDeleted: true } }, 'campaign_updated');
}

/**
 * Brings the state up to the clock: starts a campaign whose start has come and ends one whose end has come.
 * One change makes up for everything that was missed.
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
    return change(campaign, { record, live: { ...live, status: 'ENDED' } }, ...started, 'campaign_ended');
  }
  return isStarting ? change(campaign, { live: { ...live, status: 'ACTIVE' } }, ...started) : undefined;
}

/** Whether an instant has come. */
export function isReached(instant: string | null, now: Date): boolean {
  return instant !== null && Date.parse(instant) <= now.getTime();
}

/** Changes the status of a live campaign, or refuses when no transition leads there. */
function changeStatus(
  campaign: ManagedCampaign,
  next: CampaignStatus,
  changeLive: (live: Campaign) => CampaignChange,
): Outcome {
  const before = campaignStatesBefore(next);
  const { live, record } = campaign;
  if (live !== null && before.includes(live.status)) return changeLive({ ...live, status: next });
  const allowed = before.filter((status) => status !== 'DRAFT' && status !== 'IN_REVIEW').join(' or ');
  return refuse(`campaign ${record.id} is ${statusOf(campaign)}: it becomes ${next} only from ${allowed}`);
}
