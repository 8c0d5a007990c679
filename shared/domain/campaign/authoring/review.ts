import type { Campaign, CampaignDocument } from '../document/campaign.ts';
import { type CampaignDraft, type ManagedCampaign, statusOf } from '../document/record.ts';
import { ownersOfActions } from '../document/tree.ts';
import { isReached } from './lifecycle.ts';
import {
  type Act,
  type CampaignEvent,
  changed,
  type Outcome,
  type Refusal,
  refused,
  strangerRefusal,
} from './outcome.ts';

/**
 * How a version of a campaign comes to run: it is written, every owner of an action approves it, and it
 * takes the place of the version before it, which runs until then.
 */

/** The document as it may be edited: the draft, otherwise the version that runs. */
export function editable({ record, live }: ManagedCampaign): Campaign | null {
  return record.draft?.campaign ?? live;
}

/** Whose approval a version takes: every owner of an action; where there is no action, whoever made the campaign. */
export function approversOf(campaign: Campaign): number[] {
  const owners = ownersOfActions(campaign);
  return owners.length > 0 ? owners : [campaign.ownerId];
}

/** An edit: the document as it is from now on, and the first id that none of its parts has. */
export interface Edit {
  readonly document: CampaignDocument;
  readonly nextPartId: number;
}

/**
 * Writes the next version, or changes the one that is being written. The state stays as it is; approvals
 * were of another document and have to be given again. What runs is not touched.
 */
export function edit(campaign: ManagedCampaign, { document, nextPartId }: Edit, act: Act): Outcome {
  const { record, live } = campaign;
  const stranger = strangerRefusal(campaign, act);
  if (stranger) return stranger;
  if (live?.status === 'ENDED') return refused(`campaign ${record.id} is ENDED: duplicate it to run it again`);
  const base = record.draft?.campaign ?? (live && { ...live, version: live.version + 1, status: 'DRAFT' as const });
  if (!base) return refused(`campaign ${record.id} has no document`);
  const rejection = record.draft?.rejection ?? null;
  const draft: CampaignDraft = { campaign: { ...base, ...document }, approvals: [], rejection };
  return changed(campaign, { record: { draft, nextPartId } });
}

/** Gives the next version up; what runs goes on. */
export function discard(campaign: ManagedCampaign, act: Act): Outcome {
  const { record, live } = campaign;
  const stranger = strangerRefusal(campaign, act);
  if (stranger) return stranger;
  if (record.draft === null) return refused(`nobody is working on a next version of campaign ${record.id}`);
  if (live === null) return refused(`campaign ${record.id} has only this version: delete the campaign instead`);
  if (record.draft.campaign.status === 'IN_REVIEW') return refused('the next version is IN_REVIEW: reject it first');
  return changed(campaign, { record: { draft: null } });
}

/**
 * Approves the next version as it is. With the first approval the review begins, with the last one the
 * version takes effect; where nobody else owns an action, the first is the last.
 */
export function approve(campaign: ManagedCampaign, act: Act): Outcome {
  const { record } = campaign;
  const { organisationId, now } = act;
  const { draft } = record;
  const stranger = strangerRefusal(campaign, act);
  if (stranger) return stranger;
  if (draft === null) return refused(`campaign ${record.id} is ${statusOf(campaign)}: nothing waits for an approval`);
  const own = draft.approvals.some((approval) => approval.organisationId === organisationId);
  const approvals = own ? draft.approvals : [...draft.approvals, { organisationId, at: now.toISOString() }];
  const missing = approversOf(draft.campaign).filter((id) => !approvals.some((given) => given.organisationId === id));
  if (missing.length === 0) return takeEffect(campaign, { ...draft, approvals }, now);
  if (own) return refused(`organisation ${organisationId} has approved already; missing: ${missing.join(', ')}`);
  if (draft.campaign.status === 'IN_REVIEW' && !approversOf(draft.campaign).includes(organisationId)) {
    return refused(`organisation ${organisationId} owns no action of it; missing: ${missing.join(', ')}`);
  }
  const inReview = { ...draft.campaign, status: 'IN_REVIEW' as const };
  return changed(campaign, { record: { draft: { campaign: inReview, approvals, rejection: null } } });
}

/** Sends the next version back to those who write it, with the reason. */
export function reject(campaign: ManagedCampaign, reason: string, act: Act): Outcome {
  const { record } = campaign;
  const stranger = strangerRefusal(campaign, act);
  if (stranger) return stranger;
  if (record.draft?.campaign.status !== 'IN_REVIEW') {
    return refused(`campaign ${record.id} is ${statusOf(campaign)}: there is no review that could be ended`);
  }
  if (reason.trim() === '') return refused('a rejection needs a reason: those who write the campaign read it');
  const rejection = { organisationId: act.organisationId, reason, at: act.now.toISOString() };
  const written = { ...record.draft.campaign, status: 'DRAFT' as const };
  return changed(campaign, { record: { draft: { campaign: written, approvals: [], rejection } } });
}

/** The approved version in the place of the one before it. */
function takeEffect(campaign: ManagedCampaign, { campaign: next, approvals }: CampaignDraft, now: Date): Outcome {
  const { live } = campaign;
  const refusal = untimely(next, live, now);
  if (refusal) return refusal;
  const status = statusAfter(next, live, now);
  const isStarting = status === 'ACTIVE' && live?.status !== 'ACTIVE';
  // Nothing that happened before it was approved is rewarded.
  const startsAt = isStarting && !hasBegun(live, now) ? now.toISOString() : next.startsAt;
  // The draft was begun before the latest pauses, maybe.
  const version: Campaign = { ...next, status, startsAt, pauses: live?.pauses ?? [] };
  const events: CampaignEvent[] = [
    ...(live === null ? [] : (['campaign_updated'] as const)),
    ...(isStarting ? (['campaign_activated'] as const) : []),
  ];
  const change = changed(campaign, { record: { draft: null }, live: version }, ...events);
  return { ...change, approved: { campaign: version, approvals } };
}

/** A version that replaces another takes over its state; only what has not begun follows the schedule. */
function statusAfter(next: Campaign, live: Campaign | null, now: Date): Campaign['status'] {
  if (live !== null && live.status !== 'SCHEDULED') return live.status;
  return isReached(next.startsAt, now) ? 'ACTIVE' : 'SCHEDULED';
}

/** Why a schedule that was right when it was written is not any more. */
function untimely(next: Campaign, live: Campaign | null, now: Date): Refusal | undefined {
  if (live?.status === 'ENDED') return refused(`campaign ${next.id} has ENDED meanwhile: duplicate it to run it again`);
  if (isReached(next.endsAt, now)) return refused(`its end, ${next.endsAt}, is over: edit the schedule`);
  if (hasBegun(live, now) && Date.parse(next.startsAt) !== Date.parse(live.startsAt)) {
    return refused(`campaign ${next.id} began on ${live.startsAt}, which cannot change any more: edit the start`);
  }
  return undefined;
}

/** Whether a version has rewarded, or could have. */
export function hasBegun(live: Campaign | null, now: Date): live is Campaign {
  return live !== null && (live.status !== 'SCHEDULED' || isReached(live.startsAt, now));
}
