import type { Campaign, CampaignDocument } from '../document/campaign.ts';
import { type CampaignDraft, type ManagedCampaign, statusOf } from '../document/campaign.ts';
import { ownersOfActions } from '../document/tree.ts';
import {
  type CampaignEvent,
  type ChangeContext,
  change,
  isReached,
  type Outcome,
  type RefusedChange,
  refuse,
  refuseOutsider,
} from './lifecycle.ts';

/**
 * The review of a version. An organisation writes it, every owner of an action approves it, and then it replaces
 * the live version.
 */

/** The version that an edit changes: the draft, otherwise the live version. */
export function editable({ record, live }: ManagedCampaign): Campaign | null {
  return record.draft?.campaign ?? live;
}

/** The organisations that have to approve a version: every owner of an action. Without actions, the campaign's owner. */
export function approversOf(campaign: Campaign): number[] {
  const owners = ownersOfActions(campaign);
  return owners.length > 0 ? owners : [campaign.ownerId];
}

/** An edit: the new document, and the first id that no part of the campaign ever had. */
export interface Edit {
  readonly document: CampaignDocument;
  readonly nextPartId: number;
}

/**
 * Writes the next version, or changes the one in progress. Its status stays. Its approvals are removed, because
 * they are for another document. The live version does not change.
 */
export function edit(campaign: ManagedCampaign, { document, nextPartId }: Edit, context: ChangeContext): Outcome {
  const { record, live } = campaign;
  const refusal = refuseOutsider(campaign, context);
  if (refusal) return refusal;
  if (live?.status === 'ENDED') return refuse(`campaign ${record.id} is ENDED: duplicate it to run it again`);
  const base = record.draft?.campaign ?? (live && { ...live, version: live.version + 1, status: 'DRAFT' as const });
  if (!base) return refuse(`campaign ${record.id} has no document`);
  const rejection = record.draft?.rejection ?? null;
  const draft: CampaignDraft = { campaign: { ...base, ...document }, approvals: [], rejection };
  return change(campaign, { record: { draft, nextPartId } });
}

/** Discards the next version. The live version stays. */
export function discard(campaign: ManagedCampaign, context: ChangeContext): Outcome {
  const { record, live } = campaign;
  const refusal = refuseOutsider(campaign, context);
  if (refusal) return refusal;
  if (record.draft === null) return refuse(`campaign ${record.id} has no next version`);
  if (live === null) return refuse(`campaign ${record.id} has only this version: delete the campaign instead`);
  if (record.draft.campaign.status === 'IN_REVIEW') return refuse('the next version is IN_REVIEW: reject it first');
  return change(campaign, { record: { draft: null } });
}

/**
 * Approves the next version. The first approval begins the review; after the last one the version takes effect.
 * With a single owner of actions, the first approval is the last.
 */
export function approve(campaign: ManagedCampaign, context: ChangeContext): Outcome {
  const { draft, id } = campaign.record;
  const { organisationId, now } = context;
  const refusal = refuseOutsider(campaign, context);
  if (refusal) return refusal;
  if (draft === null) return refuse(`campaign ${id} is ${statusOf(campaign)}: it has no version to approve`);
  const isRepeated = draft.approvals.some((approval) => approval.organisationId === organisationId);
  const approvals = isRepeated ? draft.approvals : [...draft.approvals, { organisationId, at: now.toISOString() }];
  const approvers = approversOf(draft.campaign);
  const missing = approvers.filter((approver) => !approvals.some((given) => given.organisationId === approver));
  if (missing.length === 0) return takeEffect(campaign, { ...draft, approvals }, now);
  if (isRepeated) return refuse(`organisation ${organisationId} has approved already; missing: ${missing.join(', ')}`);
  if (draft.campaign.status === 'IN_REVIEW' && !approvers.includes(organisationId)) {
    return refuse(`organisation ${organisationId} owns no action of it; missing: ${missing.join(', ')}`);
  }
  const inReview = { ...draft.campaign, status: 'IN_REVIEW' as const };
  return change(campaign, { record: { draft: { campaign: inReview, approvals, rejection: null } } });
}

/** Returns the reviewed version to its authors, with the reason. */
export function reject(campaign: ManagedCampaign, reason: string, context: ChangeContext): Outcome {
  const { record } = campaign;
  const refusal = refuseOutsider(campaign, context);
  if (refusal) return refusal;
  if (record.draft?.campaign.status !== 'IN_REVIEW') {
    return refuse(`campaign ${record.id} is ${statusOf(campaign)}: there is no review to end`);
  }
  if (reason.trim() === '') return refuse('a rejection needs a reason, which the authors of the campaign read');
  const rejection = { organisationId: context.organisationId, reason, at: context.now.toISOString() };
  const written = { ...record.draft.campaign, status: 'DRAFT' as const };
  return change(campaign, { record: { draft: { campaign: written, approvals: [], rejection } } });
}

/** Replaces the live version by the approved one. */
function takeEffect(campaign: ManagedCampaign, { campaign: next, approvals }: CampaignDraft, now: Date): Outcome {
  const { live } = campaign;
  const refusal = refuseSchedule(next, live, now);
  if (refusal) return refusal;
  const status = statusAfter(next, live, now);
  const isStarting = status === 'ACTIVE' && live?.status !== 'ACTIVE';
  // A campaign rewards no event from before its approval.
  const startsAt = isStarting && !hasBegun(live, now) ? now.toISOString() : next.startsAt;
  // The live version may have been paused after the draft was begun.
  const version: Campaign = { ...next, status, startsAt, pauses: live?.pauses ?? [] };
  const events: CampaignEvent[] = [
    ...(live === null ? [] : (['campaign_updated'] as const)),
    ...(isStarting ? (['campaign_activated'] as const) : []),
  ];
  const changed = change(campaign, { record: { draft: null }, live: version }, ...events);
  return { ...changed, approved: { campaign: version, approvals } };
}

/** A version that replaces a begun one keeps its status. Otherwise the schedule decides. */
function statusAfter(next: Campaign, live: Campaign | null, now: Date): Campaign['status'] {
  if (live !== null && live.status !== 'SCHEDULED') return live.status;
  return isReached(next.startsAt, now) ? 'ACTIVE' : 'SCHEDULED';
}

/** Refuses a schedule that became impossible after it was written. */
function refuseSchedule(next: Campaign, live: Campaign | null, now: Date): RefusedChange | undefined {
  if (live?.status === 'ENDED') return refuse(`campaign ${next.id} has ENDED meanwhile: duplicate it to run it again`);
  if (isReached(next.endsAt, now)) return refuse(`its end, ${next.endsAt}, is over: edit the schedule`);
  if (hasBegun(live, now) && Date.parse(next.startsAt) !== Date.parse(live.startsAt)) {
    return refuse(`campaign ${next.id} began on ${live.startsAt}, which cannot change any more: edit the start`);
  }
  return undefined;
}

/** Whether a version has rewarded events, or could have. */
export function hasBegun(live: Campaign | null, now: Date): live is Campaign {
  return live !== null && (live.status !== 'SCHEDULED' || isReached(live.startsAt, now));
}
