import { validityMs } from '../../contracts/limits.ts';
import type { ConnectingUser, ConnectSession } from '../../domain/connect/connect-session.ts';
import { redirectUriFault } from '../../domain/connect/redirect-uri.ts';
import { CampaignNotFoundError, InvalidInputError, PartnershipNotFoundError } from '../../domain/errors.ts';
import { Campaigns } from '../../store/campaign/campaigns.ts';
import { Partnerships } from '../../store/campaign/partnerships.ts';
import { ConnectSessions } from '../../store/connect/connect.ts';
import { digestOf } from '../../store/credential/credentials.ts';
import { Organisations } from '../../store/organisation/organisations.ts';
import type { Deps, Replying } from '../operation.ts';
import { newSecret } from './user-tokens.ts';

export const createConnectTokenStores = {
  campaigns: Campaigns,
  partnerships: Partnerships,
  connectSessions: ConnectSessions,
  organisations: Organisations,
};
type ConnectDeps = Deps<typeof createConnectTokenStores> & Replying<ConnectToken>;

/** A merchant's request to let a person link an account. */
export interface ConnectRequest {
  readonly organisationId: number;
  readonly user: ConnectingUser;
  readonly partnershipId: string | undefined;
  readonly campaignId: number | undefined;
  readonly redirectUri: string | undefined;
  /** Returned with the code, unchanged. */
  readonly state: string | undefined;
  /** PKCE, S256 (RFC 7636). */
  readonly codeChallenge: string | undefined;
}

/** A token for the connect flow. Only its digest is stored. */
export interface ConnectToken {
  readonly token: string;
  readonly expiresAt: string;
}

/**
 * Starts a connect session and issues its token.
 *
 * @throws PartnershipNotFoundError, CampaignNotFoundError
 * @throws InvalidInputError when the redirect URI is not registered, or not allowed
 */
export async function createConnectToken(request: ConnectRequest, deps: ConnectDeps): Promise<ConnectToken> {
  const { organisationId, user, state = null, codeChallenge = null } = request;
  const [partnershipUuid, redirectUri] = await Promise.all([
    findPartnershipUuid(request, deps),
    findRedirectUri(request, deps),
  ]);

  const token = newSecret(deps, 'connectToken');
  const now = deps.now();
  const expiresAt = new Date(now.getTime() + validityMs.connectToken).toISOString();
  const created = { token, expiresAt };
  const session: ConnectSession = {
    digest: digestOf(token),
    organisationId,
    partnershipUuid,
    redirectUri,
    state,
    codeChallenge,
    user,
    attempts: 0,
    isUsed: false,
    createdAt: now.toISOString(),
    expiresAt,
  };
  await deps.connectSessions.add(session, deps.replyWrites?.(created));
  return created;
}

/**
 * The partnership that the request names, or the partnership of the named campaign; null when the request names
 * neither.
 */
async function findPartnershipUuid(
  { organisationId, partnershipId, campaignId }: ConnectRequest,
  deps: ConnectDeps,
): Promise<string | null> {
  if (partnershipId === undefined && campaignId === undefined) return null;

  const [partnerships, campaigns] = await Promise.all([
    deps.partnerships.of('byMerchant', organisationId),
    campaignId === undefined ? [] : deps.campaigns.runningOf(organisationId, deps.now()),
  ]);
  const campaign = campaigns.find(({ id }) => id === campaignId);
  if (campaignId !== undefined && !campaign) throw new CampaignNotFoundError();
  const wanted = partnershipId ?? campaign?.partnershipUuid;
  const partnership = partnerships.find(({ uuid }) => uuid === wanted);
  if (!partnership?.isActive) {
    // The partnership is missing or inactive. The error is about what the request names: the partnership, or else the
    // campaign.
    throw partnershipId === undefined ? new CampaignNotFoundError() : new PartnershipNotFoundError();
  }
  if (campaign && campaign.partnershipUuid !== partnership.uuid) {
    throw new CampaignNotFoundError('The campaign does not exist under the partnership');
  }
  return partnership.uuid;
}

const notRegistered = { code: 'not_registered', message: 'is not a registered redirect URI' };

/**
 * The redirect URI that the request names, or the first one that is registered; null when there is none. Redirect URIs
 * are compared character by character (RFC 9700, 4.1.3), because a pattern would let an attacker steal codes.
 */
async function findRedirectUri(
  { organisationId, redirectUri }: ConnectRequest,
  { organisations }: ConnectDeps,
): Promise<string | null> {
  const organisation = await organisations.find(organisationId);
  const registered = organisation?.redirectUris ?? [];
  const chosen = redirectUri ?? registered[0];
  if (chosen === undefined) return null;
  // The URI may have been registered before the rules for redirect URIs existed. So the rules are checked here too.
  const fault = registered.includes(chosen) ? redirectUriFault(chosen) : notRegistered;
  if (fault) throw new InvalidInputError([{ path: ['redirectUri'], ...fault }]);
  return chosen;
}
