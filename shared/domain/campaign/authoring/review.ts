import { personOf } from '../../ledger/manual-adjustment.ts';
import {
  type Campaign,
  type CampaignDocument,
  type CampaignDraft,
  type ManagedCampaign,
  statusOf,
} from '../document/campaign.ts';
import { type CampaignFault, fault } from '../document/kinds/kind.ts';
import { holdsParts, isSame, type Place, partsIn, placesOf } from '../document/tree.ts';
import { approversOf, mayReview, missingApprovals } from './approvers.ts';
import { largestReward, needsSecondApprover } from './largest-reward.ts';
import {
  type CampaignEvent,
  type ChangeContext,
  change,
  isReached,
  type Outcome,
  type RefusedChange,
  refuse,
  refuseOutsider,
  sign,
} from './lifecycle.ts';

/**
 * The review of a version. One organisation writes the version. All required organisations approve the version. Then
 * the version replaces the live version.
 */

/** The version that an edit changes: the draft, otherwise the live version. */
export function editable({ record, live }: ManagedCampaign): Campaign | null {
  return record.draft?.campaign ?? live;
}

/** An edit: the new document, and the first id that no part of the campaign ever had. */
export interface Edit {
  readonly document: CampaignDocument;
  readonly nextPartId: number;
}

/**
 * Writes the next version, or changes the draft in progress. The draft keeps its status and loses its approvals,
 * because they are for the earlier document. The live version does not change.
 */
export function edit(campaign: ManagedCampaign, { document, nextPartId }: Edit, context: ChangeContext): Outcome {
  const { record, live } = campaign;
  const refusal = refuseOutsider(campaign, context);
  if (refusal) return refusal;
  if (live?.status === 'ENDED') return refuse(`campaign ${record.id} is ENDED: duplicate it to run it again`);
  const base = record.draft?.campaign ?? (live && { ...live, version: live.version + 1, status: 'DRAFT' as const });
  if (!base) return refuse(`campaign ${record.id} has no document`);
  const rejection = record.draft?.rejection ?? null;
  const draft: CampaignDraft = {
    campaign: { ...base, ...document },
    approvals: [],
    rejection,
    changed: sign(context),
  };
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

/** Asks the organisations that have to approve the next version for their approvals, without giving one. */
export function submit(campaign: ManagedCampaign, context: ChangeContext): Outcome {
  const { draft, id } = campaign.record;
  const refusal = refuseOutsider(campaign, context);
  if (refusal) return refusal;
  if (draft === null) return refuse(`campaign ${id} is ${statusOf(campaign)}: it has no version to approve`);
  if (draft.campaign.status === 'IN_REVIEW') return refuse(`campaign ${id} is in review already`);
  const inReview = { ...draft.campaign, status: 'IN_REVIEW' as const };
  return change(campaign, { record: { draft: { ...draft, campaign: inReview, rejection: null } } });
}

/**
 * Approves the next version. The first approval begins the review. The last approval makes the version take effect. If
 * only one organisation has to approve, its approval is the first and the last.
 */
export function approve(campaign: ManagedCampaign, context: ChangeContext): Outcome {
  const { draft, id } = campaign.record;
  const { organisationId, now, waivedBy = new Set(), isSeconded = false } = context;
  const refusal = refuseOutsiderOfReview(campaign, context);
  if (refusal) return refusal;
  if (draft === null) return refuse(`campaign ${id} is ${statusOf(campaign)}: it has no version to approve`);
  const isRepeated = draft.approvals.some((approval) => approval.organisationId === organisationId);
  if (context.needsFourEyes && isOwnChange(draft, context)) {
    return refuse(`the same person changed this version last: organisation ${organisationId} wants four eyes on it`);
  }
  const own = sign(context);
  const approvals = isRepeated ? draft.approvals : [...draft.approvals, own];
  const missing = missingApprovals({ campaign: draft.campaign, approvals }, waivedBy);
  if (missing.length === 0 && !isSeconded && needsSecondApprover(draft.campaign, [...approvals, own])) {
    const much = `${largestReward(draft.campaign)} points or cents for one event or a purchase of $1,000`;
    const advice =
      context.staffId === undefined
        ? 'one operator gives all approvals: let another operator run the same command, or run it with --approve first'
        : 'one person gives all approvals: let another person approve it for this organization';
    return refuse(`campaign ${id} may award ${much}, and ${advice}`);
  }
  if (missing.length === 0) return takeEffect(campaign, { ...draft, approvals }, now);
  if (isRepeated)
    return refuse(`organisation ${organisationId} has approved already; missing: organisation ${missing.join(', ')}`);
  if (draft.campaign.status === 'IN_REVIEW' && !approversOf(draft.campaign, waivedBy).includes(organisationId)) {
    return refuse(
      `organisation ${organisationId} does not have to approve it; missing: organisation ${missing.join(', ')}`,
    );
  }
  const inReview = { ...draft.campaign, status: 'IN_REVIEW' as const };
  return change(campaign, { record: { draft: { ...draft, campaign: inReview, approvals, rejection: null } } });
}

/** Whether the person who acts changed the version last, for whichever organisation. */
function isOwnChange({ changed }: CampaignDraft, { operator, staffId }: ChangeContext): boolean {
  if (!changed) return false;
  if (changed.staffId !== undefined || staffId !== undefined) return changed.staffId === staffId;
  if (changed.operator === undefined || operator === undefined) return false;
  return personOf({ operator: changed.operator }) === personOf({ operator });
}

/** Returns the reviewed version to its authors, with the reason. */
export function reject(campaign: ManagedCampaign, reason: string, context: ChangeContext): Outcome {
  const { record } = campaign;
  const refusal = refuseOutsiderOfReview(campaign, context);
  if (refusal) return refusal;
  if (record.draft?.campaign.status !== 'IN_REVIEW') {
    return refuse(`campaign ${record.id} is ${statusOf(campaign)}: there is no review to end`);
  }
  if (reason.trim() === '') return refuse('a rejection needs a reason, which the authors of the campaign read');
  const rejection = { ...sign(context), reason };
  const written = { ...record.draft.campaign, status: 'DRAFT' as const };
  return change(campaign, { record: { draft: { ...record.draft, campaign: written, approvals: [], rejection } } });
}

/**
 * Refuses an organisation that may not review the next version. A partner that is on neither side of the campaign may
 * review a version that transfers the points of this partner.
 */
function refuseOutsiderOfReview(campaign: ManagedCampaign, context: ChangeContext): RefusedChange | undefined {
  const { draft, isDeleted } = campaign.record;
  const isConcerned = draft !== null && !isDeleted && mayReview(context.organisationId, draft.campaign);
  return isConcerned ? undefined : refuseOutsider(campaign, context);
}

/** Replaces the live version by the approved one. */
function takeEffect(campaign: ManagedCampaign, { campaign: next, approvals }: CampaignDraft, now: Date): Outcome {
  const { live } = campaign;
  const refusal = refuseSchedule(next, live, now);
  if (refusal) return refusal;
  const status = statusAfter(next, live, now);
  const isStarting = status === 'ACTIVE' && live?.status !== 'ACTIVE';
  // A campaign rewards no event that happened before its approval.
  const startsAt = isStarting && !hasBegun(live, now) ? now.toISOString() : next.startsAt;
  // The live version may have been paused since the draft was created.
  const version: Campaign = { ...next, status, startsAt, pauses: live?.pauses ?? [] };
  const events: CampaignEvent[] = [
    ...(live === null ? [] : (['campaign_updated'] as const)),
    ...(isStarting ? (['campaign_activated'] as const) : []),
  ];
  const changed = change(campaign, { record: { draft: null }, live: version }, ...events);
  return { ...changed, approved: { campaign: version, approvals } };
}

/**
 * If the live version has started, the next version takes over the status of the live version. Otherwise the schedule
 * decides.
 */
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

/** Whether the live version has started, so that it may have rewarded events. */
function hasBegun<Live extends LiveSchedule>(live: Live | null, now: Date): live is Live {
  return live !== null && (live.status !== 'SCHEDULED' || isReached(live.startsAt, now));
}

/** Faults of an edit, found by comparing the document with the campaign before the edit. */

type Schedule = Pick<CampaignDocument, 'type' | 'startsAt' | 'endsAt'>;
type LiveSchedule = Pick<Campaign, 'type' | 'status' | 'startsAt'>;

/** The campaign before an edit, as far as the faults of the edit depend on it. */
export interface CampaignBefore {
  /** The document that the edit changes: the draft, otherwise the live version. */
  readonly document: CampaignDocument;
  /** The live version; null before the first approval. */
  readonly live: LiveSchedule | null;
  /** The first id that no part of the campaign ever had. */
  readonly nextPartId: number;
}

/**
 * Finds faults in the schedule and the type of an edited document. Only a changed start or end has to lie in
 * the future.
 *
 * @param campaign the campaign that is edited; null for a new one
 */
export function findScheduleFaults(document: Schedule, campaign: CampaignBefore | null, now: Date): CampaignFault[] {
  const before = campaign?.document ?? null;
  const live = campaign?.live ?? null;
  return [
    ...(hasBegun(live, now) ? fixedStartFaults(document, live) : startFaults(document, before, now)),
    ...endFaults(document, before, now),
    ...typeFaults(document, live),
  ];
}

/**
 * Finds the faults of a stored draft's schedule. A start in the past is none: such a draft starts with its last
 * approval.
 */
export function findDraftScheduleFaults(document: Schedule, live: Campaign | null, now: Date): CampaignFault[] {
  return [
    ...(hasBegun(live, now) ? fixedStartFaults(document, live) : []),
    ...endFaults(document, live, now),
    ...typeFaults(document, live),
  ];
}

function fixedStartFaults({ startsAt }: Schedule, live: LiveSchedule): CampaignFault[] {
  if (isSameInstant(startsAt, live.startsAt)) return [];
  return [fault('/startsAt', 'campaign_has_begun', `cannot change any more: the campaign began on ${live.startsAt}`)];
}

function startFaults({ startsAt }: Schedule, before: Schedule | null, now: Date): CampaignFault[] {
  if (isSameInstant(startsAt, before?.startsAt ?? null) || !isReached(startsAt, new Date(now.getTime() - 1))) return [];
  return [fault('/startsAt', 'in_the_past', 'lies in the past: leave it out to start with the last approval')];
}

function endFaults({ endsAt }: Schedule, before: Schedule | null, now: Date): CampaignFault[] {
  if (isSameInstant(endsAt, before?.endsAt ?? null) || !isReached(endsAt, now)) return [];
  return [fault('/endsAt', 'in_the_past', 'lies in the past')];
}

/**
 * The type is part of a campaign's key in lists. A changed type would leave the campaign in the list of the old type.
 */
function typeFaults({ type }: Schedule, live: LiveSchedule | null): CampaignFault[] {
  if (live === null || live.type === type) return [];
  return [fault('/type', 'type_is_fixed', `cannot change any more: partners know the campaign as ${live.type}`)];
}

function isSameInstant(one: string | null, other: string | null): boolean {
  return one === other || (one !== null && other !== null && Date.parse(one) === Date.parse(other));
}

/**
 * Finds changes that an organisation may not make. An organisation may not
 * - change, remove, move or give away a part of the other side;
 * - add a part in the name of the other side;
 * - change a flow or group that contains a part of the other side.
 *
 * @param before the document before the edit; null for a new campaign
 * @param after the edited document; its parts have ids
 */
export function findOwnershipFaults(before: object | null, after: object, organisationId: number): CampaignFault[] {
  const placesBefore = byId(before === null ? [] : placesOf(before));
  const placesAfter = byId(placesOf(after));
  return [
    ...[...placesBefore.values()].flatMap((place) =>
      faultsOfExisting(place, placesAfter.get(idOf(place)), organisationId),
    ),
    ...[...placesAfter.values()].flatMap((place) => ownerFaults(place, placesBefore.get(idOf(place)), organisationId)),
  ];
}

const idOf = ({ value }: Place) => value.id;
const byId = (places: readonly Place[]) => new Map(places.map((place) => [idOf(place), place]));

/** Finds forbidden changes of a part, flow or group that existed before the edit. */
function faultsOfExisting(before: Place, after: Place | undefined, organisationId: number): CampaignFault[] {
  const otherOwner = findOtherOwner(before, organisationId);
  if (otherOwner === undefined) return [];
  if (!after) return holdsParts(before.inner) ? [] : [foreignPart(before, otherOwner, 'cannot be removed')];
  if (holdsParts(before.inner)) return containerFaults(before, after, otherOwner);
  if (before.list !== after.list) return [foreignPart(after, otherOwner, 'cannot be moved')];
  // ownerFaults reports a change of the owner.
  return isSame(before.value, after.value, new Set(['ownerId']))
    ? []
    : [foreignPart(after, otherOwner, 'cannot be changed')];
}

/**
 * The meaning of a part depends on the fields of its flow or group. So these fields are fixed while the other side owns
 * one of the parts.
 */
function containerFaults(before: Place, after: Place, otherOwner: number): CampaignFault[] {
  const fields = new Set([...Object.keys(before.value), ...Object.keys(after.value)]);
  return [...fields]
    .filter((field) => !(field in before.inner) && !isSame(before.value[field], after.value[field]))
    .map((field) => {
      const message = `cannot be changed: parts of organisation ${otherOwner} depend on it`;
      return fault(`${after.pointer}/${field}`, 'foreign_part', message);
    });
}

function ownerFaults(after: Place, before: Place | undefined, organisationId: number): CampaignFault[] {
  if (holdsParts(after.inner)) return [];
  const owner = before ? before.value.ownerId : organisationId;
  if (after.value.ownerId === owner) return [];
  const message = before
    ? `belongs to organisation ${owner}, and stays with it`
    : `is new, and so belongs to organisation ${organisationId}: leave the owner out`;
  return [fault(`${after.pointer}/ownerId`, 'foreign_part', message)];
}

/** Returns another organisation that owns a part at a place; undefined when there is none. */
function findOtherOwner(place: Place, organisationId: number): number | undefined {
  const owners = partsIn(place).map(({ ownerId }) => Number(ownerId));
  return owners.find((owner) => owner !== organisationId);
}

function foreignPart({ pointer }: Place, owner: number, rule: string): CampaignFault {
  return fault(pointer, 'foreign_part', `belongs to organisation ${owner}: it ${rule} by another`);
}
