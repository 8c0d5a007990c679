import {
  type CredentialOf,
  Credentials,
  digestOf,
  keyExpiryWrite,
  narrowWrite,
  revokeWrite,
} from '../../store/credential/credentials.ts';
import { OrganisationCredentials, partnerKeyWrites } from '../../store/organisation/organisation-credentials.ts';
import type { Item, Write } from '../../store/table/table-client.ts';
import { newSecret } from '../connect/user-tokens.ts';
import {
  AlreadyExistsError,
  AmbiguousNameError,
  ChangedMeanwhileError,
  NotFoundError,
  OperationError,
  type Subject,
  subjectText,
  WrongStateError,
} from '../errors.ts';
import { type AuditedDeps, type Confirmable, writeAudited } from '../write-audited.ts';
import { findOrganisation, findOrganisationStores, organisationSubject } from './find-organisation.ts';

const manageKeysStores = {
  ...findOrganisationStores,
  credentials: Credentials,
  organisationCredentials: OrganisationCredentials,
};
export type ManageKeysDeps = AuditedDeps<typeof manageKeysStores>;

export type PartnerKey = CredentialOf<'partnerKey'>;

/** A new partner key with its secret. The secret cannot be shown again. */
export interface IssuedKey {
  readonly key: PartnerKey;
  readonly label: string | null;
  readonly secret: string;
}

export interface NewKey {
  readonly permissions: readonly string[];
  readonly label: string | null;
  /** When the key expires; never by default. */
  readonly expiresAt?: Date | undefined;
}

/** The key cannot be narrowed to permissions that it lacks. */
export class MissingPermissionsError extends OperationError {
  override readonly name = 'MissingPermissionsError';
  readonly key: Subject;
  readonly permissions: readonly string[];

  constructor(key: Subject, permissions: readonly string[]) {
    super(`${subjectText(key)} lacks ${permissions.join(', ')}`);
    this.key = key;
    this.permissions = permissions;
  }
}

/** The key already has exactly the requested permissions. */
class SamePermissionsError extends OperationError {
  override readonly name = 'SamePermissionsError';
  readonly key: Subject;

  constructor(key: Subject) {
    super(`${subjectText(key)} has these permissions and no others: nothing was changed; to grant more, create a key`);
    this.key = key;
  }
}

/** Makes a partner key, and the writes that store the key. */
export function newPartnerKey(
  organisationId: number,
  { permissions, label, expiresAt }: NewKey,
  deps: AuditedDeps,
): IssuedKey & { readonly writes: Write[] } {
  const secret = newSecret(deps, 'partnerKey');
  const key: PartnerKey = {
    kind: 'partnerKey',
    digest: digestOf(secret),
    organisationId,
    permissions: [...permissions],
    isRevoked: false,
    expiresAt: expiresAt?.toISOString() ?? null,
    createdAt: deps.now().toISOString(),
  };
  return { key, label, secret, writes: partnerKeyWrites({ key, label }) };
}

/** Creates a partner key of the organisation with this id or exact name. */
export async function createKey(organisation: string, wanted: NewKey, deps: ManageKeysDeps): Promise<IssuedKey> {
  const owner = organisationSubject(await findOrganisation(organisation, deps));
  const { writes, ...issued } = newPartnerKey(Number(owner.id), wanted, deps);
  const { key } = issued;
  await writeAudited(
    {
      what: `created key ${keyIdOf(key)} of ${subjectText(owner)} with ${key.permissions.join(' ')}`,
      writes,
      conflict: () => new AlreadyExistsError(keySubject(key)),
    },
    deps,
  );
  return issued;
}

/** A change of a key's permissions. */
export interface NarrowedKey {
  readonly key: PartnerKey;
  readonly lost: readonly string[];
}

/**
 * Narrows a key to some of its permissions, for good.
 *
 * @throws MissingPermissionsError; SamePermissionsError when the key would keep all of its permissions
 */
export async function narrowKey(
  { key: text, permissions, confirm }: { key: string; permissions: readonly string[] } & Confirmable<NarrowedKey>,
  deps: ManageKeysDeps,
): Promise<NarrowedKey> {
  const key = await findValidKey(text, deps);
  const missing = permissions.filter((name) => !key.permissions.includes(name));
  if (missing.length > 0) throw new MissingPermissionsError(keySubject(key), missing);
  const lost = key.permissions.filter((name) => !permissions.includes(name));
  if (lost.length === 0) throw new SamePermissionsError(keySubject(key));

  const narrowed = { key: { ...key, permissions: [...permissions] }, lost };
  await confirm?.(narrowed);
  await writeAudited(
    {
      what: `narrowed key ${keyIdOf(key)} to ${permissions.join(' ')}; it lost ${lost.join(' ')}`,
      writes: [narrowWrite(key, permissions)],
      conflict: (found) => keyConflict(key, found),
    },
    deps,
  );
  return narrowed;
}

/** The key has expired. Its expiry cannot be changed any more. */
export class KeyExpiredError extends OperationError {
  override readonly name = 'KeyExpiredError';

  constructor(key: Subject, expiredAt: string) {
    super(`${subjectText(key)} expired at ${expiredAt}, and stays expired: create a key`);
  }
}

/**
 * Sets when a key stops working. A time in the past ends the key within the few seconds for which keys are cached.
 *
 * @param expiresAt undefined for a key that does not expire
 * @throws KeyExpiredError when the key has expired already
 */
export async function setKeyExpiry(
  { key: text, expiresAt, confirm }: { key: string; expiresAt: Date | undefined } & Confirmable<PartnerKey>,
  deps: ManageKeysDeps,
): Promise<PartnerKey> {
  const key = await findValidKey(text, deps);
  if (key.expiresAt !== null && Date.parse(key.expiresAt) <= deps.now().getTime()) {
    throw new KeyExpiredError(keySubject(key), key.expiresAt);
  }
  const changed = { ...key, expiresAt: expiresAt?.toISOString() ?? null };
  if (changed.expiresAt === key.expiresAt) return key;
  await confirm?.(changed);
  await writeAudited(
    {
      what: `set the expiry of key ${keyIdOf(key)} to ${changed.expiresAt ?? 'never'}`,
      change: { before: { expiresAt: key.expiresAt }, after: { expiresAt: changed.expiresAt } },
      writes: [keyExpiryWrite(key, changed.expiresAt)],
      conflict: (found) => keyConflict(key, found),
    },
    deps,
  );
  return changed;
}

/** A key that is revoked, with its owner. */
export interface RevokedKey {
  readonly key: PartnerKey;
  readonly owner: Subject;
}

/** Revokes a key, for good. */
export async function revokeKey(
  { key: text, confirm }: { readonly key: string } & Confirmable<RevokedKey>,
  deps: ManageKeysDeps,
): Promise<RevokedKey> {
  const key = await findValidKey(text, deps);
  const organisation = await deps.organisations.find(key.organisationId);
  const owner: Subject = organisation
    ? organisationSubject(organisation)
    : { kind: 'organisation', id: key.organisationId };
  const revoked = { key: { ...key, isRevoked: true }, owner };
  await confirm?.(revoked);
  await writeAudited(
    {
      what: `revoked key ${keyIdOf(key)} of ${subjectText(owner)}`,
      writes: [revokeWrite(key.digest)],
      conflict: (found) => keyConflict(key, found),
    },
    deps,
  );
  return revoked;
}

const digestDigits = 12;
const keyIdPattern = /^([1-9]\d*)-([0-9a-f]{12})$/;
const digestPattern = /^[0-9a-f]{64}$/;

/** The id that operators use for a key: its organisation's id and the first digits of its SHA-256. */
export const keyIdOf = ({ organisationId, digest }: PartnerKey) => `${organisationId}-${digest.slice(0, digestDigits)}`;

const keySubject = (key: PartnerKey): Subject => ({ kind: 'key', id: keyIdOf(key) });

/** @throws WrongStateError when the key is revoked */
async function findValidKey(text: string, deps: ManageKeysDeps): Promise<PartnerKey> {
  const key = await findKey(text, deps);
  if (key.isRevoked) throw new WrongStateError(keySubject(key), 'revoked');
  return key;
}

/**
 * Finds a partner key by its id, by the SHA-256 of its text, or by its text.
 *
 * @throws NotFoundError, AmbiguousNameError
 */
async function findKey(text: string, deps: ManageKeysDeps): Promise<PartnerKey> {
  const [, organisationId, digestPrefix] = keyIdPattern.exec(text) ?? [];
  if (digestPrefix !== undefined) return findKeyById(text, [Number(organisationId), digestPrefix], deps);

  const found = await deps.credentials.find(digestPattern.test(text) ? text : digestOf(text));
  if (found?.kind === 'partnerKey') return found;
  // The text may be a key of another stage, so the error does not contain the text.
  throw new NotFoundError({ kind: 'key', id: '' }, found && { actualKind: found.kind });
}

async function findKeyById(
  id: string,
  [organisationId, digestPrefix]: readonly [number, string],
  { organisationCredentials }: ManageKeysDeps,
): Promise<PartnerKey> {
  const [found, ...others] = await organisationCredentials.keysOf(organisationId, digestPrefix);
  if (found === undefined) throw new NotFoundError({ kind: 'key', id });
  if (others.length > 0) {
    const digests = [found, ...others].map(({ key }) => key.digest);
    throw new AmbiguousNameError({ kind: 'key', id }, digests);
  }
  return found.key;
}

function keyConflict(key: PartnerKey, found: Item | null): Error {
  return new ChangedMeanwhileError(keySubject(key), found?.isRevoked === true ? 'revoked' : 'changed');
}
