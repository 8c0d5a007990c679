import { validityMs } from '../../../shared/contracts/limits.ts';
import type { ConnectingUser } from '../../../shared/domain/connect/connect-session.ts';
import { type Call, endpoint } from '../../../shared/http/endpoint.ts';
import { locationOf } from '../../../shared/http/told-of-user.ts';
import { newSecret } from '../../../shared/operations/user-tokens.ts';
import { Campaigns } from '../../../shared/store/campaign/campaigns.ts';
import { ConnectSessions } from '../../../shared/store/connect/connect-sessions.ts';
import { digestOf } from '../../../shared/store/credential/secret-text.ts';
import { Organisations } from '../../../shared/store/organisation/organisations.ts';
import { contract } from './contract.ts';

const stores = { campaigns: Campaigns, connectSessions: ConnectSessions, organisations: Organisations };

type ConnectCall = Call<typeof contract, typeof stores>;

export const handler = endpoint(contract, stores, async (call) => {
  const { body, caller, platform, baseUrl } = call;
  const [partnershipUuid, redirectUri] = await Promise.all([partnershipOf(call), redirectUriOf(call)]);

  const token = newSecret(platform, 'connectToken');
  const now = platform.now();
  const expiresAt = new Date(now.getTime() + validityMs.connectToken).toISOString();
  await platform.connectSessions.add({
    digest: digestOf(token),
    organisationId: caller.organisationId,
    partnershipUuid,
    redirectUri,
    state: body.state ?? null,
    codeChallenge: body.code_challenge ?? null,
    user: userOf(body.user),
    attempts: 0,
    isUsed: false,
    createdAt: now.toISOString(),
    expiresAt,
  });
  return { connect_token: token, connect_url: `${baseUrl}/connect/${token}/page`, expires_at: expiresAt };
});

/** The one partnership that is meant, by itself or by a campaign of it; null when any of the merchant's is. */
async function partnershipOf({ body, caller, platform, refuse }: ConnectCall): Promise<string | null> {
  const { partnership_id: partnershipId, campaign_id: campaignId } = body;
  if (partnershipId === undefined && campaignId === undefined) return null;

  const [partnerships, campaigns] = await Promise.all([
    platform.campaigns.partnershipsOf('byMerchant', caller.organisationId),
    campaignId === undefined ? [] : platform.campaigns.runningOf(caller.organisationId, platform.now()),
  ]);
  const campaign = campaigns.find(({ id }) => id === campaignId);
  if (campaignId !== undefined && !campaign) return refuse('campaign_does_not_exist', 'The campaign does not exist');
  const wanted = partnershipId ?? campaign?.partnershipUuid;
  const partnership = partnerships.find(({ uuid }) => uuid === wanted);
  if (!partnership?.isActive) {
    // Whatever was named is not there: of a campaign that was deleted with its partnership nothing is told.
    if (partnershipId === undefined) return refuse('campaign_does_not_exist', 'The campaign does not exist');
    return refuse('partnership_does_not_exist', 'The partnership does not exist');
  }
  if (campaign && campaign.partnershipUuid !== partnership.uuid) {
    return refuse('campaign_does_not_exist', 'The campaign does not exist under the partnership');
  }
  return partnership.uuid;
}

/** Compared letter by letter with what is registered (RFC 9700, 4.1.3): a pattern is how codes are stolen. */
async function redirectUriOf({ body, caller, platform, refuse }: ConnectCall): Promise<string | null> {
  const organisation = await platform.organisations.find(caller.organisationId);
  const registered = organisation?.redirectUris ?? [];
  const asked = body.redirect_uri;
  if (asked === undefined) return registered.length === 1 ? (registered[0] ?? null) : null;
  if (registered.includes(asked)) return asked;

  const fault = { pointer: '/redirect_uri', code: 'not_registered', message: 'is not a registered redirect URI' };
  return refuse('invalid_request', 'redirect_uri is not a registered redirect URI', { faults: [fault] });
}

function userOf(user: ConnectCall['body']['user']): ConnectingUser {
  return {
    ...(user?.external_id !== undefined && { externalId: user.external_id }),
    ...(user?.email !== undefined && { email: user.email }),
    ...(user?.first_name !== undefined && { firstName: user.first_name }),
    ...(user?.last_name !== undefined && { lastName: user.last_name }),
    ...(user?.phone_number !== undefined && { phoneNumber: user.phone_number }),
    ...(user?.referrer_external_id !== undefined && { referrerExternalId: user.referrer_external_id }),
    ...(user?.location !== undefined && { location: locationOf(user.location) }),
    ...(user?.attributes !== undefined && { attributes: user.attributes }),
  };
}
