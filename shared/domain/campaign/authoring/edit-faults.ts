import type { Campaign, CampaignDocument, ManagedCampaign } from '../document/campaign.ts';
import { type CampaignFault, fault } from '../document/kinds/kind.ts';
import { holdsParts, isSame, type Place, partsIn, placesOf } from '../document/tree.ts';
import { isReached } from './lifecycle.ts';
import { editable, hasBegun } from './review.ts';

/** Faults of an edit that depend on the campaign as it was before. */

type Schedule = Pick<CampaignDocument, 'type' | 'startsAt' | 'endsAt'>;

/**
 * Finds faults in the schedule and the type of an edited document. Only a changed start or end has to lie in
 * the future.
 *
 * @param campaign the campaign that is edited; null for a new one
 */
export function findScheduleFaults(document: Schedule, campaign: ManagedCampaign | null, now: Date): CampaignFault[] {
  const before = campaign && editable(campaign);
  const live = campaign?.live ?? null;
  return [
    ...(hasBegun(live, now) ? fixedStartFaults(document, live) : startFaults(document, before, now)),
    ...endFaults(document, before, now),
    ...typeFaults(document, live),
  ];
}

function fixedStartFaults({ startsAt }: Schedule, live: Campaign): CampaignFault[] {
  if (isSameInstant(startsAt, live.startsAt)) return [];
  return [fault('/startsAt', 'campaign_has_begun', `cannot change any more: the campaign began on ${live.startsAt}`)];
}

function startFaults({ startsAt }: Schedule, before: Campaign | null, now: Date): CampaignFault[] {
  if (isSameInstant(startsAt, before?.startsAt ?? null) || !isReached(startsAt, new Date(now.getTime() - 1))) return [];
  return [fault('/startsAt', 'in_the_past', 'lies in the past: leave it out to start with the last approval')];
}

function endFaults({ endsAt }: Schedule, before: Campaign | null, now: Date): CampaignFault[] {
  if (isSameInstant(endsAt, before?.endsAt ?? null) || !isReached(endsAt, now)) return [];
  return [fault('/endsAt', 'in_the_past', 'lies in the past')];
}

/** The type is part of the key of a campaign in lists, so a change would leave it in the list of its old type. */
function typeFaults({ type }: Schedule, live: Campaign | null): CampaignFault[] {
  if (live === null || live.type === type) return [];
  return [fault('/type', 'type_is_fixed', `cannot change any more: partners know the campaign as ${live.type}`)];
}

function isSameInstant(one: string | null, other: string | null): boolean {
  return one === other || (one !== null && other !== null && Date.parse(one) === Date.parse(other));
}

/**
 * Finds changes that an organisation may not make. It may not change, remove, move or give away a part of the
 * other side, or add a part in its name. It may not change a flow or group that contains such a part.
 *
 * @param before the document as it is; null for a new campaign
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

/** The parts of a flow or group depend on its fields. The fields are fixed while the other side owns one of the parts. */
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
