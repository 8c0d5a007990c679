import { parseIntegerId } from '../../domain/ids.ts';
import type { Organisation } from '../../domain/organisation.ts';
import { isMisspelling } from '../../domain/spelling.ts';
import { Organisations } from '../../store/organisation/organisations.ts';
import { Sequences } from '../../store/organisation/sequences.ts';
import {
  AmbiguousNameError,
  NotFoundError,
  type Subject,
  WrongOrganisationKindError,
  WrongStateError,
} from '../errors.ts';
import type { Deps } from '../operation.ts';

export const findOrganisationStores = { organisations: Organisations, sequences: Sequences };
export type FindOrganisationDeps = Deps<typeof findOrganisationStores>;

/** Returns every organisation, sorted by id. Ids are consecutive, so no index is needed. Deleted ones are left out. */
export async function allOrganisations({ organisations, sequences }: FindOrganisationDeps): Promise<Organisation[]> {
  const last = await sequences.last('organisation');
  const found = await organisations.findMany(Array.from({ length: last }, (_, index) => index + 1));
  return found.filter(({ deletedAt }) => deletedAt === undefined);
}

/** Returns the organisations with an exact name. Deleted ones are left out. */
export async function organisationsNamed(wanted: string, deps: FindOrganisationDeps): Promise<Organisation[]> {
  return (await allOrganisations(deps)).filter(({ name }) => name === wanted);
}

/**
 * Finds an organisation by its id or its exact name.
 *
 * @throws NotFoundError when there is none
 * @throws AmbiguousNameError when several have the name
 * @throws WrongStateError when the organisation of this id is deleted
 */
export async function findOrganisation(text: string, deps: FindOrganisationDeps): Promise<Organisation> {
  const id = parseIntegerId(text);
  const byId = id === undefined ? undefined : await deps.organisations.find(id);
  if (byId?.deletedAt !== undefined) throw new WrongStateError(organisationSubject(byId), 'deleted');
  if (byId) return byId;

  const all = await allOrganisations(deps);
  const [found, ...others] = all.filter(({ name }) => name === text);
  const wanted: Subject = { kind: 'organisation', id: text };
  if (found && others.length > 0) {
    throw new AmbiguousNameError(
      wanted,
      [found, ...others].map((one) => one.id),
    );
  }
  if (found) return found;
  const similar = all.find(({ name }) => isMisspelling(text, name));
  throw new NotFoundError(wanted, similar && { similar: organisationSubject(similar) });
}

/**
 * Finds an organisation that has to be a merchant, or a partner.
 *
 * @throws WrongOrganisationKindError when it is the other kind
 */
export async function findOrganisationOfKind(
  text: string,
  kind: Organisation['kind'],
  deps: FindOrganisationDeps,
): Promise<Organisation> {
  const found = await findOrganisation(text, deps);
  if (found.kind !== kind) throw new WrongOrganisationKindError(organisationSubject(found), found.kind);
  return found;
}

/** Loads the names of some organisations, and returns the function that looks a name up by its id. */
export async function loadOrganisationNames(
  ids: Iterable<number>,
  { organisations }: Pick<FindOrganisationDeps, 'organisations'>,
): Promise<(id: number) => string> {
  const found = await organisations.findMany([...new Set(ids)]);
  const names = new Map(found.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? `organisation ${id}`;
}

export const organisationSubject = ({ id, name }: Pick<Organisation, 'id' | 'name'>): Subject => ({
  kind: 'organisation',
  id,
  name,
});
