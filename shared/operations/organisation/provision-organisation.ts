import { permissions } from '../../contracts/contract.ts';
import { redirectUriFault } from '../../domain/connect/redirect-uri.ts';
import { type InputFault, InvalidInputError } from '../../domain/errors.ts';
import { defaultVelocityRules, type Organisation, withRules } from '../../domain/organisation.ts';
import { organisationWrite } from '../../store/organisation/organisations.ts';
import { AlreadyExistsError, subjectText } from '../errors.ts';
import { type AuditedDeps, writeAudited } from '../write-audited.ts';
import { findOrganisationStores, organisationSubject, organisationsNamed } from './find-organisation.ts';
import { type IssuedClient, newClient } from './manage-clients.ts';
import { type IssuedKey, newPartnerKey } from './manage-keys.ts';

export const provisionOrganisationStores = findOrganisationStores;

export interface NewOrganisation {
  readonly name: string;
  readonly kind: Organisation['kind'];
  /** URLs that the connect flow may send members back to. */
  readonly redirectUris?: readonly string[];
}

/** An organisation with its first credentials. Their secrets cannot be shown again. */
export interface ProvisionedOrganisation {
  readonly organisation: Organisation;
  readonly key: IssuedKey;
  readonly client: IssuedClient;
}

/**
 * Creates an organisation whose name is unique, so that operators can find it by its name.
 *
 * @throws AlreadyExistsError when another organisation has the name
 * @throws InvalidInputError when a redirect URI is not allowed
 */
export async function createOrganisation(
  wanted: NewOrganisation,
  deps: AuditedDeps<typeof provisionOrganisationStores>,
): Promise<ProvisionedOrganisation> {
  const [namesake] = await organisationsNamed(wanted.name, deps);
  if (namesake) throw new AlreadyExistsError(organisationSubject(namesake));
  return provisionOrganisation(wanted, deps);
}

/**
 * Creates an organisation, its OAuth client, and a partner key with all permissions. A partner gets a hosted program that
 * holds absurd rewards for review.
 * Names need not be unique, because tests create many organisations with the same names.
 *
 * @throws InvalidInputError when a redirect URI is not allowed
 */
export async function provisionOrganisation(
  wanted: NewOrganisation,
  deps: AuditedDeps<typeof provisionOrganisationStores>,
): Promise<ProvisionedOrganisation> {
  const faults = faultsOf(wanted);
  if (faults.length > 0) throw new InvalidInputError(faults);
  const organisation = await newOrganisation(wanted, deps);
  const key = newPartnerKey(organisation.id, { permissions, label: 'first key' }, deps);
  const client = newClient(organisation.id, deps);
  await writeAudited(
    {
      what: `created ${subjectText(organisationSubject(organisation))}, a ${organisation.kind.toLowerCase()}, with its first credentials`,
      writes: [organisationWrite(organisation), ...key.writes, ...client.writes],
      conflict: () => new AlreadyExistsError(organisationSubject(organisation)),
    },
    deps,
  );
  return { organisation, key, client };
}

function faultsOf({ redirectUris = [] }: NewOrganisation): InputFault[] {
  return redirectUris.flatMap((uri, index) => {
    const fault = redirectUriFault(uri);
    return fault ? [{ path: ['redirectUris', String(index)], ...fault }] : [];
  });
}

async function newOrganisation(
  { name, kind, redirectUris = [] }: NewOrganisation,
  { sequences, now }: AuditedDeps<typeof provisionOrganisationStores>,
): Promise<Organisation> {
  return {
    id: await sequences.lease('organisation', 1),
    name,
    kind,
    program: kind === 'PARTNER' ? { kind: 'hosted' } : null,
    ...(kind === 'PARTNER' && withRules(defaultVelocityRules)),
    redirectUris: [...redirectUris],
    createdAt: now().toISOString(),
  };
}
