import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  type NewOrganisation,
  provisionOrganisation as provision,
} from '../../shared/operations/organisation/provision-organisation.ts';
import type { Platform } from '../../shared/runtime/platform.ts';
import { digestOf, secretText } from '../../shared/store/credential/credentials.ts';
import { credentialsOf } from '../../tools/admin/demo/world.ts';

/** Creates an organisation. Returns its id and credentials in the form of the demonstration's world. */
export async function provisionOrganisation(platform: Platform, wanted: NewOrganisation) {
  return credentialsOf(await provision(wanted, platform));
}

/** Creates a partner key of an organisation with exactly these permissions. */
export async function narrowKey(
  { credentials, config }: Platform,
  organisationId: number,
  permissions: readonly string[],
): Promise<string> {
  const key = secretText('partnerKey', config.stage, randomBytes(32));
  await credentials.add({
    kind: 'partnerKey',
    digest: digestOf(key),
    organisationId,
    permissions: [...permissions],
    isRevoked: false,
    expiresAt: null,
    createdAt: new Date().toISOString(),
  });
  return key;
}

/** Reads the document of a campaign or template. */
export async function readDocumentFile(path: string | URL): Promise<Readonly<Record<string, unknown>>> {
  return JSON.parse(await readFile(path, 'utf8'));
}

export type Provisioned = ReturnType<typeof credentialsOf>;
