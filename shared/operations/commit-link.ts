import { toSeconds, validityMs } from '../contracts/limits.ts';
import { type Campaign, isRunning } from '../domain/campaign/document/campaign.ts';
import { isLinkable } from '../domain/connect/connect-session.ts';
import { decideLink, type KnownMembers, type LinkIds, LinkOffer } from '../domain/connect/decide-link.ts';
import { plainError } from '../domain/errors.ts';
import type { CampaignReference } from '../domain/ledger/ledger-entry.ts';
import type { Member } from '../domain/member/member.ts';
import type { Partnership } from '../domain/partnership.ts';
import { Campaigns } from '../store/campaign/campaigns.ts';
import { LinkConflictError, Links } from '../store/connect/connect.ts';
import type { CredentialOf } from '../store/credential/credentials.ts';
import { Members } from '../store/member/members.ts';
import type { Deps, OperationDeps, Replying } from './operation.ts';
import { decideAndWrite } from './operation.ts';
import { newTokenPair, type UserTokens } from './user-tokens.ts';

export const commitLinkStores = { campaigns: Campaigns, links: Links, members: Members };
type CommitDeps = Deps<typeof commitLinkStores> & Replying<UserTokens>;

/**
 * The offered account cannot be linked any more: the partnership ended, or another link of the account was made since.
 */
export class OfferRefusedError extends plainError(
  'OfferRefusedError',
  'The account, or the customer, is linked to another one already',
) {}

/**
 * Links an account to a member, and issues the member's first tokens to the merchant. The account is the offer of a
 * code. One write uses the code and stores the link, the tokens and the event. No reply shows the account before this
 * write.
 *
 * Takes three round trips: a read of the identifiers, a read of the members that they lead to, and the write.
 *
 * @throws OfferRefusedError
 * @throws CodeUsedError when the code was used or revoked
 * @throws ContentionError when other links of the same member or account keep causing conflicts
 */
export function commitLink(code: CredentialOf<'authorizationCode'>, deps: CommitDeps): Promise<UserTokens> {
  const offered = { code, offer: LinkOffer.parse(code.offer) };
  return decideAndWrite(
    {
      subject: `the members of the offer with grant ${code.grantId}`,
      load: () => loadEvidence(offered, deps),
      write: (evidence) => writeLink(offered, evidence, deps),
      conflicts: [LinkConflictError],
    },
    deps,
  );
}

/** A code with the account that it offers. */
interface Offered {
  readonly code: CredentialOf<'authorizationCode'>;
  readonly offer: LinkOffer;
}

/** Everything that the link depends on. */
interface Evidence {
  readonly known: KnownMembers;
  readonly campaigns: readonly Campaign[];
  /** The partnerships that the account is linked under. */
  readonly partnerships: readonly Partnership[];
}

async function loadEvidence({ code, offer }: Offered, deps: CommitDeps): Promise<Evidence> {
  const { organisationId } = code;
  const { account, user, partnershipUuid } = offer;
  const { members, links, campaigns } = deps;
  const [offered, ...userIds] = await Promise.all([
    campaigns.offeredBy(organisationId, deps.now()),
    members.findUserId(account.partnerId, account.externalId),
    user.externalId === undefined ? undefined : members.findUserId(organisationId, user.externalId),
    account.email === null ? undefined : links.findUserIdByEmail(organisationId, account.email),
  ]);
  const [byAccount, byExternalId, byEmail] = await findMembers(userIds, deps);
  const partnerships = offered.partnerships.filter(
    (one) => one.partnerId === account.partnerId && isLinkable(one, { partnershipUuid }),
  );
  return { known: { byAccount, byExternalId, byEmail }, campaigns: offered.campaigns, partnerships };
}

/** Finds the member of each id. Ids that lead to the same member are read once. */
async function findMembers(
  userIds: readonly (number | undefined)[],
  { members }: CommitDeps,
): Promise<(Member | undefined)[]> {
  const distinct = [...new Set(userIds)].filter((id) => id !== undefined);
  const found = new Map(await Promise.all(distinct.map(async (id) => [id, await members.find(id)] as const)));
  return userIds.map((id) => (id === undefined ? undefined : found.get(id)));
}

async function writeLink({ code, offer }: Offered, evidence: Evidence, deps: CommitDeps): Promise<UserTokens> {
  const { organisationId, grantId } = code;
  if (evidence.partnerships.length === 0) throw new OfferRefusedError('The program can no longer be linked');
  const now = deps.now();
  const at = now.toISOString();
  const session = { organisationId, user: offer.user };
  const context = { ids: newLinkIds(deps), at, offeredAt: code.createdAt };
  const link = decideLink(session, offer.account, evidence.known, context);
  if ('refused' in link) {
    const isUnlinked = link.refused === 'unlinked_meanwhile';
    throw isUnlinked ? new OfferRefusedError('The account was unlinked after it was offered') : new OfferRefusedError();
  }

  const { id: userId, uuid: userUuid } = link.user;
  const { pair, ...tokens } = newTokenPair(deps, { organisationId, userId, userUuid, grantId });
  const result = { ...tokens, userId, expiresInSeconds: toSeconds(validityMs.userAccessToken) };
  await deps.links.write({
    code,
    offer,
    link,
    pair,
    registers: registeringCampaigns(evidence, now),
    event: {
      id: deps.nextUuid(),
      name: 'user_partner_authentication_created',
      entityId: userUuid,
      occurredAt: at,
      merchantId: organisationId,
      partnerId: offer.account.partnerId,
    },
    replyWrites: deps.replyWrites?.(result),
  });
  return result;
}

/**
 * Finds the campaigns that count a link as a registration. These are connect-only campaigns: they award no points, and
 * count the accounts that are linked while they run.
 */
function registeringCampaigns({ campaigns, partnerships }: Evidence, now: Date): CampaignReference[] {
  const uuids = new Set(partnerships.map(({ uuid }) => uuid));
  return campaigns
    .filter(({ type, partnershipUuid }) => type === 'CONNECT_ONLY' && uuids.has(partnershipUuid))
    .filter((campaign) => isRunning(campaign, now))
    .map(({ id, partnershipUuid }) => ({ id, partnershipUuid }));
}

/** The ids of a link's new records. */
export function newLinkIds({ nextIds }: Pick<OperationDeps, 'nextIds'>): LinkIds {
  return { user: nextIds(), membership: nextIds().id, association: nextIds().id };
}
