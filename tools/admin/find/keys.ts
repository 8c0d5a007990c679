import type { Platform } from '../../../shared/runtime/platform.ts';
import type { CredentialOf } from '../../../shared/store/credential/credentials.ts';
import { digestOf } from '../../../shared/store/credential/secret-text.ts';
import { OperatorError } from '../cli/errors.ts';

type PartnerKey = CredentialOf<'partnerKey'>;

const digestSigns = 12;
const keyId = /^([1-9]\d*)-([0-9a-f]{12})$/;
const digestPattern = /^[0-9a-f]{64}$/;

/** What an operator calls a key: its organisation's id, and the beginning of the SHA-256 of its text. */
export const keyIdOf = ({ organisationId, digest }: PartnerKey) => `${organisationId}-${digest.slice(0, digestSigns)}`;

/**
 * The partner key of an id as `key list` shows it, of a SHA-256, or of the key's own text.
 *
 * @throws OperatorError when there is none
 */
export async function findKey(platform: Platform, text: string): Promise<PartnerKey> {
  const [, organisationId, beginning] = keyId.exec(text) ?? [];
  if (beginning !== undefined) return findById(platform, { organisationId: Number(organisationId), beginning });

  const found = await platform.credentials.find(digestPattern.test(text) ? text : digestOf(text));
  if (found?.kind === 'partnerKey') return found;
  // The text may be a key of another stage, so it is not repeated.
  const other = found ? `: it is a ${found.kind}` : '';
  throw new OperatorError(`there is no such partner key${other}; key list shows those of an organisation`);
}

async function findById(
  { organisationCredentials }: Platform,
  { organisationId, beginning }: { readonly organisationId: number; readonly beginning: string },
): Promise<PartnerKey> {
  const [found, ...others] = await organisationCredentials.keysOf(organisationId, beginning);
  if (found === undefined) throw new OperatorError(`there is no partner key ${organisationId}-${beginning}`);
  if (others.length > 0) throw new OperatorError('several keys have this id: give the SHA-256 of the key’s text');
  return found.key;
}
