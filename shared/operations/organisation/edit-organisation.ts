import { maximumCount } from '../../contracts/limits.ts';
import { redirectUriFault } from '../../domain/connect/redirect-uri.ts';
import { InvalidInputError } from '../../domain/errors.ts';
import type { Organisation } from '../../domain/organisation.ts';
import type { Partnership } from '../../domain/partnership.ts';
import { Partnerships } from '../../store/campaign/partnerships.ts';
import { revokeWrite } from '../../store/credential/credentials.ts';
import { revokeClientWrite } from '../../store/organisation/clients.ts';
import { OrganisationCredentials } from '../../store/organisation/organisation-credentials.ts';
import { changedOrganisationWrite } from '../../store/organisation/organisations.ts';
import {
  AlreadyExistsError,
  ChangedMeanwhileError,
  InUseError,
  NotFoundError,
  type Obstacle,
  subjectText,
} from '../errors.ts';
import { type AuditedDeps, type Confirmable, writeAudited } from '../write-audited.ts';
import {
  allOrganisations,
  findOrganisation,
  findOrganisationStores,
  organisationSubject,
  organisationsNamed,
} from './find-organisation.ts';

const editOrganisationStores = {
  ...findOrganisationStores,
  partnerships: Partnerships,
  organisationCredentials: OrganisationCredentials,
};
export type EditOrganisationDeps = AuditedDeps<typeof editOrganisationStores>;

/** What an operator wants to change about an organisation. */
export interface OrganisationEdit {
  readonly name?: string | undefined;
  /** URIs to which the connect flow may redirect from now on. URIs that are known already stay as they are. */
  readonly addRedirectUris?: readonly string[] | undefined;
  /** URIs that new connect sessions may not redirect to. A session in progress keeps its URI. */
  readonly removeRedirectUris?: readonly string[] | undefined;
}

/** An organisation after an edit. `isChanged` is false when it had these values already. */
export interface EditedOrganisation {
  readonly organisation: Organisation;
  readonly isChanged: boolean;
}

/**
 * Edits an organisation, given by id or exact name.
 *
 * @throws AlreadyExistsError when another organisation has the name
 * @throws NotFoundError when the organisation does not have a redirect URI that should be removed
 * @throws InvalidInputError when a redirect URI that should be added is not allowed
 * @throws ChangedMeanwhileError
 */
export async function editOrganisation(
  text: string,
  edit: OrganisationEdit,
  deps: EditOrganisationDeps,
): Promise<EditedOrganisation> {
  const organisation = await findOrganisation(text, deps);
  const subject = organisationSubject(organisation);
  const { name = organisation.name } = edit;
  const redirectUris = redirectUrisAfter(organisation, edit);
  const before = { name: organisation.name, redirectUris: organisation.redirectUris };
  const after = { name, redirectUris };
  if (name === before.name && redirectUris.join(' ') === before.redirectUris.join(' ')) {
    return { organisation, isChanged: false };
  }
  const [namesake] = (await organisationsNamed(name, deps)).filter(({ id }) => id !== organisation.id);
  if (namesake) throw new AlreadyExistsError(organisationSubject(namesake));
  const changed = { ...organisation, ...after };
  await writeAudited(
    {
      what: `changed ${subjectText(subject)}`,
      change: { before, after },
      writes: [changedOrganisationWrite(organisation, changed)],
      conflict: () => new ChangedMeanwhileError(subject),
    },
    deps,
  );
  return { organisation: changed, isChanged: true };
}

function redirectUrisAfter(
  organisation: Organisation,
  { addRedirectUris: added = [], removeRedirectUris: removed = [] }: OrganisationEdit,
): string[] {
  const faults = added.flatMap((uri) => {
    const fault = redirectUriFault(uri);
    return fault ? [{ path: [uri], ...fault }] : [];
  });
  if (faults.length > 0) throw new InvalidInputError(faults);
  const unknown = removed.find((uri) => !organisation.redirectUris.includes(uri));
  if (unknown !== undefined) {
    throw new NotFoundError({ kind: 'redirect URI', id: unknown }, { within: organisationSubject(organisation) });
  }
  return [...new Set([...organisation.redirectUris, ...added])].filter((uri) => !removed.includes(uri));
}

/** What members still have in the program of a partner. */
interface OutstandingRewards {
  readonly points: number;
  readonly cashbackCents: number;
}

/** The deletion of an organisation. */
export interface OrganisationDeletion extends Confirmable<Organisation> {
  readonly organisation: string;
  /** Reads what members have in the program of a partner. It may read the whole ledger. */
  readonly readOutstanding: (partnerId: number) => Promise<OutstandingRewards>;
}

/**
 * Deletes an organisation for good, and revokes its keys and clients in the same write. Its books stay. Its id is never
 * used again, but its name may be used again.
 *
 * @throws InUseError when it has a partnership, or members have points or unpaid cashback in its program
 * @throws ChangedMeanwhileError when it was edited, or a partnership was created, at the same time
 * @throws NotFoundError, AmbiguousNameError
 */
export async function deleteOrganisation(
  { organisation: text, readOutstanding, confirm }: OrganisationDeletion,
  deps: EditOrganisationDeps,
): Promise<Organisation> {
  const organisation = await findOrganisation(text, deps);
  const { id } = organisation;
  const subject = organisationSubject(organisation);
  const obstacles = await findObstacles(organisation, readOutstanding, deps);
  if (obstacles.length > 0) throw new InUseError(subject, obstacles);
  const [keys, clients] = await Promise.all([
    deps.organisationCredentials.keysOf(id),
    deps.organisationCredentials.clientsOf(id),
  ]);
  const revocations = [
    ...keys.filter(({ key }) => !key.isRevoked).map(({ key }) => revokeWrite(key.digest)),
    ...clients.filter(({ isRevoked }) => !isRevoked).map(revokeClientWrite),
  ];
  if (revocations.length > maximumCount.credentialsTogether) {
    throw new InUseError(subject, [{ kind: 'credentials', values: [revocations.length] }]);
  }
  await confirm?.(organisation);
  const deleted = { ...organisation, deletedAt: deps.now().toISOString() };
  await writeAudited(
    {
      what: `deleted ${subjectText(subject)} and revoked ${revocations.length} of its keys and clients`,
      change: { before: { deletedAt: null }, after: { deletedAt: deleted.deletedAt } },
      writes: [changedOrganisationWrite(organisation, deleted), ...revocations],
      conflict: () => new ChangedMeanwhileError(subject),
    },
    deps,
  );
  return deleted;
}

/**
 * Finds what prevents the deletion. The organisation was read before: if a partnership is created after this search,
 * the revision of the organisation changes, so the deletion fails.
 */
async function findObstacles(
  organisation: Organisation,
  readOutstanding: OrganisationDeletion['readOutstanding'],
  deps: EditOrganisationDeps,
): Promise<Obstacle[]> {
  const { id, kind } = organisation;
  const partnerships = await findPartnerships(organisation, deps);
  const { points, cashbackCents } = kind === 'PARTNER' ? await readOutstanding(id) : { points: 0, cashbackCents: 0 };
  return [
    ...(partnerships.length > 0
      ? [{ kind: 'partnerships', values: partnerships.map(({ uuid }) => uuid) } as const]
      : []),
    ...(points > 0 ? [{ kind: 'points', values: [points] } as const] : []),
    ...(cashbackCents > 0 ? [{ kind: 'cents', values: [cashbackCents] } as const] : []),
  ];
}

/** The partnerships of an organisation, without deleted ones; strongly consistent. */
async function findPartnerships({ id, kind }: Organisation, deps: EditOrganisationDeps): Promise<Partnership[]> {
  if (kind === 'PARTNER') {
    const merchants = (await allOrganisations(deps)).filter((one) => one.kind === 'MERCHANT');
    return deps.partnerships.between(
      id,
      merchants.map((one) => one.id),
    );
  }
  const { partnerships } = await deps.partnerships.toChange(id);
  return partnerships.filter(({ isDeleted }) => !isDeleted);
}
