import { parseIntegerId } from '../../../shared/domain/ids.ts';
import type { Organisation } from '../../../shared/domain/organisation.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { OperatorError } from '../cli/errors.ts';

type Stores = Pick<Platform, 'organisations' | 'sequences'>;

/** Every organisation, by id. Ids are given out one after the other, so that no index is needed to find them. */
export async function allOrganisations({ organisations, sequences }: Stores): Promise<Organisation[]> {
  const last = await sequences.last('organisation');
  return organisations.findMany(Array.from({ length: last }, (_, index) => index + 1));
}

/**
 * The organisation of an id or an exact name.
 *
 * @throws OperatorError when there is none, or the name is several organisations'
 */
export async function findOrganisation(stores: Stores, text: string): Promise<Organisation> {
  const id = parseIntegerId(text);
  const byId = id === undefined ? undefined : await stores.organisations.find(id);
  if (byId) return byId;

  const all = await allOrganisations(stores);
  const [found, ...others] = all.filter(({ name }) => name === text);
  if (others.length > 0) {
    const ids = [found, ...others].map((organisation) => organisation?.id).join(', ');
    throw new OperatorError(`several organisations are called ${text}: give one of the ids ${ids}`);
  }
  if (found) return found;
  const similar = all.find(({ name }) => name.toLowerCase() === text.trim().toLowerCase());
  const hint = similar ? `, but ${organisationText(similar)}` : '';
  throw new OperatorError(`there is no organisation ${text}${hint}`);
}

/** The same, of the kind that is needed. @throws OperatorError when it is of the other */
export async function findOrganisationOfKind(
  stores: Stores,
  text: string,
  kind: Organisation['kind'],
): Promise<Organisation> {
  const found = await findOrganisation(stores, text);
  if (found.kind !== kind) {
    throw new OperatorError(`${organisationText(found)} is a ${found.kind.toLowerCase()}, not a ${kind.toLowerCase()}`);
  }
  return found;
}

/** `organisation 1 (Corner Coffee)` */
export const organisationText = ({ id, name }: Pick<Organisation, 'id' | 'name'>) => `organisation ${id} (${name})`;

/** Tells names of organisations by their ids, for those that a text is about. */
export async function organisationNames(
  { organisations }: Pick<Platform, 'organisations'>,
  ids: Iterable<number>,
): Promise<(id: number) => string> {
  const found = await organisations.findMany([...new Set(ids)]);
  const names = new Map(found.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? `organisation ${id}`;
}
