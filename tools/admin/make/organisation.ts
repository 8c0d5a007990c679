import { permissions, scopes } from '../../../shared/contracts/contract.ts';
import type { Organisation } from '../../../shared/domain/organisation.ts';
import { newSecret } from '../../../shared/operations/user-tokens.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import type { CredentialOf } from '../../../shared/store/credential/credentials.ts';
import { digestOf } from '../../../shared/store/credential/secret-text.ts';
import type { OAuthClient } from '../../../shared/store/organisation/clients.ts';
import {
  organisationClientWrites,
  partnerKeyWrites,
} from '../../../shared/store/organisation/organisation-credentials.ts';
import { organisationWrite } from '../../../shared/store/organisation/organisations.ts';
import type { Change } from './change.ts';

/** What an organisation begins with. */
export interface NewOrganisation {
  readonly name: string;
  readonly kind: Organisation['kind'];
  /** Where the connect flow may send people back to. */
  readonly redirectUris?: readonly string[];
}

/** An organisation with its first credentials, the secrets of which can be read this one time. */
export interface MadeOrganisation {
  readonly organisation: Organisation;
  readonly key: MadeKey;
  readonly client: MadeClient;
}

/** Makes an organisation with a partner key of all permissions and an OAuth client. A partner's program is hosted. */
export async function newOrganisation(
  platform: Platform,
  { name, kind, redirectUris = [] }: NewOrganisation,
): Promise<Change<MadeOrganisation>> {
  const organisation: Organisation = {
    id: await platform.sequences.lease('organisation', 1),
    name,
    kind,
    program: kind === 'PARTNER' ? { kind: 'hosted' } : null,
    redirectUris: [...redirectUris],
    createdAt: platform.now().toISOString(),
  };
  const key = newPartnerKey(platform, organisation.id, { permissions, label: 'first key' });
  const client = newClient(platform, organisation.id);
  return {
    made: { organisation, key: key.made, client: client.made },
    writes: [organisationWrite(organisation), ...key.writes, ...client.writes],
  };
}

/** A new partner key, with its text. */
export interface MadeKey {
  readonly key: CredentialOf<'partnerKey'>;
  readonly label: string | null;
  readonly secret: string;
}

/** Makes a partner key of an organisation. */
export function newPartnerKey(
  platform: Platform,
  organisationId: number,
  wanted: { readonly permissions: readonly string[]; readonly label: string | null },
): Change<MadeKey> {
  const secret = newSecret(platform, 'partnerKey');
  const key: CredentialOf<'partnerKey'> = {
    kind: 'partnerKey',
    digest: digestOf(secret),
    organisationId,
    permissions: [...wanted.permissions],
    isRevoked: false,
    expiresAt: null,
    createdAt: platform.now().toISOString(),
  };
  const { label } = wanted;
  return { made: { key, label, secret }, writes: partnerKeyWrites({ key, label }) };
}

/** A new OAuth client, with its secret. */
export interface MadeClient {
  readonly client: OAuthClient;
  readonly secret: string;
}

/** Makes an OAuth client of an organisation. */
export function newClient(platform: Platform, organisationId: number): Change<MadeClient> {
  const secret = newSecret(platform, 'clientSecret');
  const client: OAuthClient = {
    clientId: `rwc_${platform.config.stage}_${Buffer.from(platform.random(16)).toString('hex')}`,
    organisationId,
    secretDigest: digestOf(secret),
    isRevoked: false,
    scopes: [...scopes],
    createdAt: platform.now().toISOString(),
  };
  return { made: { client, secret }, writes: organisationClientWrites(client) };
}
