import { isSide } from '../../partnership.ts';
import {
  type ApprovedVersion,
  type Campaign,
  type CampaignSignature,
  type CampaignStatus,
  campaignStatesBefore,
  type ManagedCampaign,
  type Pause,
  statusOf,
} from '../document/campaign.ts';
import { approversOf, type Waivers } from './approvers.ts';

/** The events that partners receive about a campaign (specification, "Campaign lifecycle"). */
export type CampaignEvent = 'campaign_activated' | 'campaign_updated' | 'campaign_ended';

/** A changed campaign, and the events that are written together with it. */
export interface CampaignChange extends ManagedCampaign {
  readonly kind: 'changed';
  /** Sorted by time. */
  readonly events: readonly CampaignEvent[];
  /** The version that takes effect; absent if the change only concerns a draft or a status. */
  readonly approved?: ApprovedVersion;
}

/** A refusal, with the reason in words for the person who asked for the change. */
export interface RefusedChange {
  readonly kind: 'refused';
  readonly reason: string;
}

export type Outcome = CampaignChange | RefusedChange;

/** Which organisation asks for a change, and when. */
export interface ChangeContext {
  readonly organisationId: number;
  readonly now: Date;
  /** The partners that waived their approval; none by default. */
  readonly waivedBy?: Waivers;
  /** The proven identity of the person who acts; absent for seeds and tests. */
  readonly operator?: string | undefined;
  /** The id of the person, if the change is made at the dashboard. */
  readonly staffId?: string | undefined;
  /** Whether the organisation wants another person to approve a version than the one who changed it last. */
  readonly needsFourEyes?: boolean;
  /** Whether another operator approved that one operator gives all approvals of this version. */
  readonly isSeconded?: boolean;
}

/** Signs a change with the organisation, the person and the time of its context. */
export const sign = ({ organisationId, operator, staffId, now }: ChangeContext): CampaignSignature => ({
  organisationId,
  ...(operator !== undefined && { operator }),
  ...(staffId !== undefined && { staffId }),
  at: now.toISOString(),
});

export const refuse = (reason: string): RefusedChange => ({ kind: 'refused', reason });

/** Replaces some fields of the record, or the live version. The other fields stay. */
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

/** Refuses an organisation that is on neither side of the campaign, and every change of a deleted campaign. */
export function refuseOutsider(
  { record }: ManagedCampaign,
  { organisationId }: ChangeContext,
): RefusedChange | undefined {
  if (!isSide(organisationId, record)) {
    return refuse(`organisation ${organisationId} is on neither side of the partnership of campaign ${record.id}`);
  }
  return record.isDeleted ? refuse(`campaign ${record.id} is deleted`) : undefined;
}

/**
 * Changes of an approved campaign. Every function is pure: it returns what to write and which events to send,
 * or the reason for a refusal.
 */

/**
 * Pauses a campaign: it rewards no event that happens during the pause. Either side may pause it. Only the side that
 * paused it may resume it.
 */
export function pause(campaign: ManagedCampaign, context: ChangeContext): Outcome {
  return (
    refuseOutsider(campaign, context) ??
    changeStatus(campaign, 'PAUSED', (live) =>
      change(
        campaign,
        {
          record: { pausedBy: context.organisationId },
          live: { ...live, pauses: startPause(live.pauses, context.now) },
        },
        'campaign_updated',
      ),
    )
  );
}

function startPause(pauses: readonly Pause[], now: Date): Pause[] {
  return [...pauses, { from: now.toISOString(), to: null }];
}

/**
 * Resumes a paused campaign: it rewards the events that happen from now on. Only the side that paused it may resume it.
 */
export function resume(campaign: ManagedCampaign, context: ChangeContext): Outcome {
  const { record, live } = campaign;
  const refusal = refuseOutsider(campaign, context);
  if (refusal) return refusal;
  if (live?.status !== 'PAUSED') return refuse(`campaign ${record.id} is ${statusOf(campaign)}, not PAUSED`);
  if (record.pausedBy !== null && record.pausedBy !== context.organisationId) {
    return refuse(`only organisation ${record.pausedBy}, which paused campaign ${record.id}, can resume it`);
  }
  return changeStatus(campaign, 'ACTIVE', (active) =>
    change(
      campaign,
      { record: { pausedBy: null }, live: { ...active, pauses: endPause(active.pauses, context.now) } },
      'campaign_updated',
    ),
  );
}

function endPause(pauses: readonly Pause[], now: Date): Pause[] {
  return pauses.map((one) => (one.to === null ? { ...one, to: now.toISOString() } : one));
}

/**
 * Starts a scheduled campaign now. Refuses when another organisation has to approve the campaign, because that
 * organisation would have to approve the new start.
 */
export function activate(campaign: ManagedCampaign, context: ChangeContext): Outcome {
  const { record, live } = campaign;
  const refusal = refuseOutsider(campaign, context);
  if (refusal) return refusal;
  if (live?.status !== 'SCHEDULED') return refuse(`campaign ${record.id} is ${statusOf(campaign)}, not SCHEDULED`);
  const others = approversOf(live, context.waivedBy ?? new Set()).filter((id) => id !== context.organisationId);
  if (others.length > 0) {
    const advice = `edit its start, so that organisation ${others.join(', ')} can approve it`;
    return refuse(`campaign ${record.id} needs the approval of other organisations: ${advice}`);
  }
  const startsAt = context.now.toISOString();
  return changeStatus(campaign, 'ACTIVE', (active) =>
    change(
      campaign,
      { record: { draft: draftWithStart(campaign, startsAt) }, live: { ...active, startsAt } },
      'campaign_activated',
    ),
  );
}

/**
 * If the draft has the same start as the live version, moves the start of the draft too. Its approvals were given to the
 * later start, so they are removed, as by an edit.
 */
function draftWithStart({ record: { draft }, live }: ManagedCampaign, startsAt: string) {
  if (draft === null || draft.campaign.startsAt !== live?.startsAt) return draft;
  return { ...draft, campaign: { ...draft.campaign, startsAt }, approvals: [] };
}

/** Ends a campaign for good and discards its next version. Either side may end it. */
export function end(campaign: ManagedCampaign, context: ChangeContext): Outcome {
  const endsAt = context.now.toISOString();
  return (
    refuseOutsider(campaign, context) ??
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

/** Deletes a campaign that was never approved, or that has ended. Only the side that made it may delete it. */
export function remove(campaign: ManagedCampaign, context: ChangeContext): Outcome {
  const { record, live } = campaign;
  const refusal = refuseOutsider(campaign, context);
  if (refusal) return refusal;
  if (record.ownerId !== context.organisationId) {
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
 * Starts or ends a campaign whose start or end is reached. When start and end are both reached, one change starts and
 * ends the campaign.
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
    const record = { draft: null, pausedBy: null, changed: null };
    return change(campaign, { record, live: { ...live, status: 'ENDED' } }, ...started, 'campaign_ended');
  }
  return isStarting
    ? change(campaign, { record: { changed: null }, live: { ...live, status: 'ACTIVE' } }, ...started)
    : undefined;
}

/** Whether an instant is reached; false when the instant is null. */
export function isReached(instant: string | null, now: Date): boolean {
  return instant !== null && Date.parse(instant) <= now.getTime();
}

/** Changes the status of a live campaign. Refuses when `campaignTransitions` has no such transition. */
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
