import { holdsParts, isSame, type Place, placesOf } from '../document/parts.ts';
import type { CampaignFault } from './validate.ts';

/**
 * What an organisation may not do to a document: change, remove, move or give away a part of the other
 * side, make a part for it, or change the flow or group that holds one.
 *
 * @param before the document as it is; null for a new campaign
 * @param after the same, edited; its parts have ids
 */
export function ownershipFaults(before: object | null, after: object, organisationId: number): CampaignFault[] {
  const was = byId(before === null ? [] : placesOf(before));
  const is = byId(placesOf(after));
  return [
    ...[...was.values()].flatMap((place) => faultsOfEarlier(place, is.get(idOf(place)), organisationId)),
    ...[...is.values()].flatMap((place) => faultsOfOwner(place, was.get(idOf(place)), organisationId)),
  ];
}

const idOf = ({ value }: Place) => value.id;
const byId = (places: readonly Place[]) => new Map(places.map((place) => [idOf(place), place]));

/** What became of something that was there. */
function faultsOfEarlier(was: Place, is: Place | undefined, organisationId: number): CampaignFault[] {
  const [stranger] = strangersIn(was, organisationId);
  if (stranger === undefined) return [];
  if (!is) return holdsParts(was.inner) ? [] : [foreign(was, stranger, 'cannot be removed')];
  if (holdsParts(was.inner)) return faultsOfContainer(was, is, stranger);
  if (was.list !== is.list) return [foreign(is, stranger, 'cannot be moved')];
  // Another owner is told by itself.
  return isSame(was.value, is.value, new Set(['ownerId'])) ? [] : [foreign(is, stranger, 'cannot be changed')];
}

/** A flow or group says what its parts mean: nobody changes what it says about another's. */
function faultsOfContainer(was: Place, is: Place, stranger: number): CampaignFault[] {
  const fields = new Set([...Object.keys(was.value), ...Object.keys(is.value)]);
  return [...fields]
    .filter((field) => !(field in was.inner) && !isSame(was.value[field], is.value[field]))
    .map((field) => ({
      pointer: `${is.pointer}/${field}`,
      code: 'foreign_part',
      message: `cannot be changed: parts of organisation ${stranger} depend on it`,
    }));
}

function faultsOfOwner(is: Place, was: Place | undefined, organisationId: number): CampaignFault[] {
  if (holdsParts(is.inner)) return [];
  const owner = was ? was.value.ownerId : organisationId;
  if (is.value.ownerId === owner) return [];
  const message = was
    ? `belongs to organisation ${owner}, and stays with it`
    : `is new, and so belongs to organisation ${organisationId}: leave the owner out`;
  return [{ pointer: `${is.pointer}/ownerId`, code: 'foreign_part', message }];
}

/** The other organisations that own something here. */
function strangersIn(place: Place, organisationId: number): number[] {
  const parts = holdsParts(place.inner) ? partsIn(place) : [place.value];
  return parts.map(({ ownerId }) => Number(ownerId)).filter((owner) => owner !== organisationId);
}

function partsIn({ value, inner }: Pick<Place, 'value' | 'inner'>): Place['value'][] {
  return Object.entries(inner).flatMap(([name, lists]) => {
    const elements = (value[name] ?? []) as Place['value'][];
    return holdsParts(lists) ? elements.flatMap((element) => partsIn({ value: element, inner: lists })) : elements;
  });
}

function foreign({ pointer }: Place, owner: number, what: string): CampaignFault {
  return { pointer, code: 'foreign_part', message: `belongs to organisation ${owner}: it ${what} by another` };
}
