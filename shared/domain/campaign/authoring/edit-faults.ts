import type { Campaign, CampaignDocument, ManagedCampaign } from '../document/campaign.ts';
import { type CampaignFault, fault } from '../document/kinds/kind.ts';
import { holdsParts, isSame, type Place, partsIn, placesOf } from '../document/tree.ts';
import { isReached } from './lifecycle.ts';
import { editable, hasBegun } from './review.ts';

/** What is wrong with an edit, given the campaign that it changes. */

type Schedule = Pick<CampaignDocument, 'type' | 'startsAt' | 'endsAt'>;

/**
 * Finds faults in the schedule and the type of an edited document. Only new instants have to lie in the
 * future: an instant that the edit leaves alone may have passed.
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

/** Lists are kept by type: a change would leave the campaign in the list of its old type. */
function typeFaults({ type }: Schedule, live: Campaign | null): CampaignFault[] {
  if (live === null || live.type === type) return [];
  return [fault('/type', 'type_is_fixed', `cannot change any more: partners know the campaign as ${live.type}`)];
}

function isSameInstant(one: string | null, other: string | null): boolean {
  return one === other || (one !== null && other !== null && Date.parse(one) === Date.parse(other));
}

/**
 * Finds changes that an organisation may not make: to change, remove, move or give away a part of the other
 * side, to make a part for it, or to change the flow or group that holds one.
 *
 * @param before the document as it is; null for a new campaign
 * @param after the edited document; its parts have ids
 */
export function findOwnershipFaults(before: object | null, after: object, organisationId: number): CampaignFault[] {
  const was = byId(before === null ? [] : placesOf(before));
  const is = byId(placesOf(after));
  return [
    ...[...was.values()].flatMap((place) => faultsOfEarlier(place, is.get(idOf(place)), organisationId)),
    ...[...is.values()].flatMap((place) => ownerFaults(place, was.get(idOf(place)), organisationId)),
  ];
}

const idOf = ({ value }: Place) => value.id;
const byId = (places: readonly Place[]) => new Map(places.map((place) => [idOf(place), place]));

/** Compares a part, flow or group of the document before with the one after. */
function faultsOfEarlier(was: Place, is: Place | undefined, organisationId: number): CampaignFault[] {
  const stranger = otherOwnerIn(was, organisationId);
  if (stranger === undefined) return [];
  if (!is) return holdsParts(was.inner) ? [] : [foreignPart(was, stranger, 'cannot be removed')];
  if (holdsParts(was.inner)) return containerFaults(was, is, stranger);
  if (was.list !== is.list) return [foreignPart(is, stranger, 'cannot be moved')];
  // ownerFaults reports a change of the owner.
  return isSame(was.value, is.value, new Set(['ownerId'])) ? [] : [foreignPart(is, stranger, 'cannot be changed')];
}

/** The fields of a flow or group decide what its parts mean, so they are fixed while another side has a part in it. */
function containerFaults(was: Place, is: Place, stranger: number): CampaignFault[] {
  const fields = new Set([...Object.keys(was.value), ...Object.keys(is.value)]);
  return [...fields]
    .filter((field) => !(field in was.inner) && !isSame(was.value[field], is.value[field]))
    .map((field) => {
      const message = `cannot be changed: parts of organisation ${stranger} depend on it`;
      return fault(`${is.pointer}/${field}`, 'foreign_part', message);
    });
}

function ownerFaults(is: Place, was: Place | undefined, organisationId: number): CampaignFault[] {
  if (holdsParts(is.inner)) return [];
  const owner = was ? was.value.ownerId : organisationId;
  if (is.value.ownerId === owner) return [];
  const message = was
    ? `belongs to organisation ${owner}, and stays with it`
    : `is new, and so belongs to organisation ${organisationId}: leave the owner out`;
  return [fault(`${is.pointer}/ownerId`, 'foreign_part', message)];
}

/** An organisation other than this one that owns a part at a place. */
function otherOwnerIn(place: Place, organisationId: number): number | undefined {
  const owners = partsIn(place).map(({ ownerId }) => Number(ownerId));
  return owners.find((owner) => owner !== organisationId);
}

function foreignPart({ pointer }: Place, owner: number, rule: string): CampaignFault {
  return fault(pointer, 'foreign_part', `belongs to organisation ${owner}: it ${rule} by another`);
}
