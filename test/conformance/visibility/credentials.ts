import type { AnyContract, Refusal } from '../../../shared/contracts/contract.ts';
import type { ConnectSession } from '../../../shared/domain/connect/connect-session.ts';
import { newSecret } from '../../../shared/operations/connect/user-tokens.ts';
import { issueUserTokens } from '../../../shared/operations/member/issue-user-tokens.ts';
import { type Credential, credentialWrite, digestOf } from '../../../shared/store/credential/credentials.ts';
import type { Request } from '../../support/call.ts';
import { bearerOf } from '../../support/story.ts';
import type { World } from '../../support/world.ts';
import type { Scene, Side } from './scene.ts';

/** Every kind of credential, valid and invalid. */
const kinds = {
  partnerKey: { kind: 'partnerKey', allows: 'all' },
  partnerKeyOfNothing: { kind: 'partnerKey', allows: 'nothing' },
  expiredPartnerKey: { kind: 'partnerKey', is: 'expired' },
  revokedPartnerKey: { kind: 'partnerKey', is: 'invalid' },
  userToken: { kind: 'userToken', allows: 'all' },
  expiredUserToken: { kind: 'userToken', is: 'expired' },
  revokedUserToken: { kind: 'userToken', is: 'invalid' },
  bearerOfTransactions: { kind: 'bearer', allows: 'transactions:read' },
  bearerOfTemplates: { kind: 'bearer', allows: 'templates:read' },
  expiredBearer: { kind: 'bearer', is: 'expired' },
  revokedBearer: { kind: 'bearer', is: 'invalid' },
  refreshToken: { kind: 'refreshToken', allows: 'all' },
  connectToken: { kind: 'connectToken', allows: 'all' },
  expiredConnectToken: { kind: 'connectToken', is: 'expired' },
  basic: { kind: 'basic', allows: 'all' },
  none: { kind: 'none', is: 'invalid' },
} as const satisfies Record<string, { kind: string; allows?: string; is?: 'expired' | 'invalid' }>;

export type CredentialName = keyof typeof kinds;
export const credentialNames = Object.keys(kinds) as CredentialName[];

/** The secrets of each side, by kind. */
export type Secrets = Readonly<Record<Side, Readonly<Record<CredentialName, string>>>>;

/** Returns the refusal of a contract for a credential, or undefined when it accepts the credential. */
export function refusalFor(contract: AnyContract, name: CredentialName): Refusal | undefined {
  const { credential, permission } = contract;
  const given: { kind: string; allows?: string; is?: 'expired' | 'invalid' } = kinds[name];
  if (credential.kind === 'none') return undefined;
  if (credential.kind === 'connectToken') return name === 'connectToken' ? undefined : credential.invalid;
  // These endpoints accept only signatures of programs or payment platforms, and no credential here is a signature.
  if (credential.kind === 'programSignature' || credential.kind === 'paymentSignature') return credential.invalid;
  if (credential.kind === 'client') return clientRefusalFor(credential, name);
  // A credential in another header counts as missing.
  if (['connectToken', 'basic', 'none'].includes(given.kind)) return credential.invalid;
  if (given.is) return credential[given.is];
  if (given.kind !== credential.kind) return credential.forbidden;
  const isAllowed = !permission || given.allows === 'all' || given.allows === permission;
  return isAllowed ? undefined : credential.forbidden;
}

/** The rows of the token endpoint exchange refresh tokens, and a partner key needs `connect:write` for that. */
function clientRefusalFor(credential: AnyContract['credential'], name: CredentialName): Refusal | undefined {
  if (name === 'partnerKeyOfNothing') return credential.forbidden;
  return ['partnerKey', 'basic'].includes(name) ? undefined : credential.invalid;
}

/** Returns the request parts that carry a secret. */
export function carrying(contract: AnyContract, name: CredentialName, secret: string): Request {
  switch (contract.credential.kind) {
    case 'connectToken':
      return { params: { connect_token: secret || 'none' } };
    case 'bearer':
      return {
        headers: name === 'none' ? {} : { authorization: `${name === 'basic' ? 'Basic' : 'Bearer'} ${secret}` },
      };
    default:
      if (name === 'none') return {};
      return { headers: name === 'basic' ? { authorization: `Basic ${secret}` } : { 'x-api-key': secret } };
  }
}

/** Creates one credential of every kind for every side. */
export async function makeSecrets(scene: Scene): Promise<Secrets> {
  const of = (side: Side) => secretsOf(scene, side);
  const [own, partner, sibling, elsewhere, unrelated] = await Promise.all([
    of('own'),
    of('partner'),
    of('sibling'),
    of('elsewhere'),
    of('unrelated'),
  ]);
  return { own, partner, sibling, elsewhere, unrelated };
}

async function secretsOf(scene: Scene, side: Side): Promise<Secrets[Side]> {
  const { platform } = scene.world;
  const organisation = scene.organisations[side];
  // Only merchants issue user tokens: the partner holds the token of another customer of the merchant.
  const merchantId = side === 'partner' ? scene.organisations.own.id : organisation.id;
  const tokens = await issueUserTokens({ member: scene.members[side], merchantId }, platform);
  const stored = (kind: 'partnerKey' | 'userToken' | 'bearer', change: Partial<Credential>) =>
    storeSecret(scene, side, kind, change);
  const expiresAt = '2026-01-02T00:00:00.000Z';
  return {
    partnerKey: organisation.apiKey,
    partnerKeyOfNothing: await stored('partnerKey', {}),
    expiredPartnerKey: await stored('partnerKey', { expiresAt }),
    revokedPartnerKey: await stored('partnerKey', { isRevoked: true }),
    userToken: tokens.accessToken,
    expiredUserToken: await stored('userToken', { expiresAt }),
    revokedUserToken: await stored('userToken', { isRevoked: true }),
    bearerOfTransactions: await bearerOf(organisation, 'transactions:read'),
    bearerOfTemplates: await bearerOf(organisation, 'templates:read'),
    expiredBearer: await stored('bearer', { expiresAt }),
    revokedBearer: await stored('bearer', { isRevoked: true }),
    refreshToken: tokens.refreshToken,
    connectToken: await makeConnectToken(scene.world, organisation.id),
    expiredConnectToken: await makeConnectToken(scene.world, organisation.id, { expiresAt }),
    basic: Buffer.from(`${organisation.clientId}:${organisation.clientSecret}`).toString('base64'),
    none: '',
  };
}

/** Stores a credential that no endpoint issues. */
async function storeSecret(
  { world: { platform }, organisations, members }: Scene,
  side: Side,
  kind: 'partnerKey' | 'userToken' | 'bearer',
  change: Partial<Credential>,
): Promise<string> {
  const secret = newSecret(platform, kind);
  const { id: userId, uuid: userUuid } = members[side].user;
  const credential = {
    kind,
    digest: digestOf(secret),
    organisationId: organisations[side].id,
    permissions: [],
    ...(kind === 'userToken' && { userId, userUuid, grantId: 'none' }),
    isRevoked: false,
    expiresAt: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    ...change,
  } as Credential;
  await platform.table.write(credentialWrite(credential));
  return secret;
}

/** Creates a connect token of an organisation. */
export async function makeConnectToken(
  { platform }: Pick<World, 'platform'>,
  organisationId: number,
  change: Partial<ConnectSession> = {},
): Promise<string> {
  const token = newSecret(platform, 'connectToken');
  await platform.connectSessions.add({
    digest: digestOf(token),
    organisationId,
    partnershipUuid: null,
    redirectUri: 'https://shop.example.com/linked',
    state: null,
    codeChallenge: null,
    user: {},
    attempts: 0,
    isUsed: false,
    createdAt: '2026-01-01T00:00:00.000Z',
    expiresAt: '2099-01-01T00:00:00.000Z',
    ...change,
  });
  return token;
}
