import { toSeconds, validityMs } from '../../contracts/limits.ts';
import { type Campaign, isRunning } from '../../domain/campaign/document/campaign.ts';
import { isCounted } from '../../domain/campaign/evaluation/decision.ts';
import { evaluate } from '../../domain/campaign/evaluation/evaluate.ts';
import { gatherFacts } from '../../domain/campaign/evaluation/gather-facts.ts';
import { isLinkable } from '../../domain/connect/connect-session.ts';
import {
  associationAfter,
  decideLink,
  type KnownMembers,
  type Link,
  type LinkIds,
  LinkOffer,
} from '../../domain/connect/decide-link.ts';
import { plainError } from '../../domain/errors.ts';
import type { Member } from '../../domain/member/member.ts';
import type { Partnership } from '../../domain/partnership.ts';
import { Campaigns } from '../../store/campaign/campaigns.ts';
import {
  AccountChangedError,
  LinkConflictError,
  type LinkResult,
  Links,
  type Registration,
} from '../../store/connect/connect.ts';
import type { CredentialOf } from '../../store/credential/credentials.ts';
import { Members } from '../../store/member/members.ts';
import type { Deps, OperationDeps, Replying } from '../operation.ts';
import { decideAndWrite } from '../operation.ts';
import { newTokenPair, type UserTokens } from './user-tokens.ts';

export const commitLinkStores = { campaigns: Campaigns, links: Links, members: Members };
type LinkDeps = Deps<typeof commitLinkStores>;

/**
 * The offered account cannot be linked any more: the partnership ended, the account was linked to another customer, or
 * the customer was linked to another account.
 */
export class OfferRefusedError extends plainError(
  'OfferRefusedError',
  'The account, or the customer, is linked to another one already',
) {}

/**
 * Exchanges a code that offers an account: links the account to a member, and issues the member's first tokens to the
 * merchant. One write marks the code as used and stores the link, the tokens and the event. No reply shows the account
 * before this write.
 *
 * Takes three round trips: a read of the identifiers, a read of the members that they lead to, and the write.
 *
 * @throws OfferRefusedError
 * @throws CodeUsedError when the code was used or revoked
 * @throws ContentionError when other links of the same member or account keep causing conflicts
 */
export function commitLink(
  code: CredentialOf<'authorizationCode'>,
  deps: LinkDeps & Replying<UserTokens>,
): Promise<UserTokens> {
  const { organisationId, createdAt: offeredAt } = code;
  const offered = { organisationId, offer: LinkOffer.parse(code.offer), offeredAt };
  return decideAndWrite(
    {
      subject: `the members of the offer with grant ${code.grantId}`,
      load: () => loadEvidence(offered, deps),
      write: (evidence) => exchange(code, prepareLink(offered, evidence, deps), deps),
      conflicts: [LinkConflictError],
    },
    deps,
  );
}

/** An account that a merchant may link to its customer. */
export interface OfferedLink {
  /** The merchant. */
  readonly organisationId: number;
  readonly offer: LinkOffer;
  /** When the account was proved; ISO 8601. */
  readonly offeredAt: string;
}

/** Everything that a link depends on. */
export interface LinkEvidence {
  readonly known: KnownMembers;
  readonly campaigns: readonly Campaign[];
  /** The partnerships that the account is linked under. */
  readonly partnerships: readonly Partnership[];
}

/** Loads everything that a link depends on, in two round trips. */
export async function loadEvidence({ organisationId, offer }: OfferedLink, deps: LinkDeps): Promise<LinkEvidence> {
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

/** Finds the member of each id. A member to whom several ids lead is read one time only. */
async function findMembers(
  userIds: readonly (number | undefined)[],
  { members }: LinkDeps,
): Promise<(Member | undefined)[]> {
  const distinct = [...new Set(userIds)].filter((id) => id !== undefined);
  const found = new Map(await Promise.all(distinct.map(async (id) => [id, await members.find(id)] as const)));
  return userIds.map((id) => (id === undefined ? undefined : found.get(id)));
}

/** A link that was decided, without the tokens of an exchange. */
type PreparedLink = Omit<LinkResult, 'exchange' | 'extraWrites'>;

/**
 * Decides a link, and prepares what it writes.
 *
 * @throws OfferRefusedError
 */
export function prepareLink(
  { organisationId, offer, offeredAt }: OfferedLink,
  evidence: LinkEvidence,
  deps: OperationDeps,
): PreparedLink {
  if (evidence.partnerships.length === 0) throw new OfferRefusedError('The program can no longer be linked');
  const now = deps.now();
  const at = now.toISOString();
  const context = { ids: newLinkIds(deps), at, offeredAt };
  const link = decideLink({ organisationId, user: offer.user }, offer.account, evidence.known, context);
  if ('refused' in link) {
    const isUnlinked = link.refused === 'unlinked_meanwhile';
    // The error does not tell the caller about a block.
    throw isUnlinked ? new OfferRefusedError('The account was unlinked after it was offered') : new OfferRefusedError();
  }
  return {
    offer,
    link,
    registrations: decideRegistrations(link, evidence, now),
    event: {
      id: deps.nextUuid(),
      name: 'user_partner_authentication_created',
      entityId: link.user.uuid,
      occurredAt: at,
      merchantId: organisationId,
      partnerId: offer.account.partnerId,
    },
  };
}

/** Writes a link, and the tokens that the merchant receives for the code. */
async function exchange(
  code: CredentialOf<'authorizationCode'>,
  prepared: PreparedLink,
  deps: LinkDeps & Replying<UserTokens>,
): Promise<UserTokens> {
  const { organisationId, grantId } = code;
  const { id: userId, uuid: userUuid } = prepared.link.user;
  const { pair, ...tokens } = newTokenPair(deps, { organisationId, userId, userUuid, grantId });
  const result = { ...tokens, userId, expiresInSeconds: toSeconds(validityMs.userAccessToken) };
  try {
    await deps.links.write({ ...prepared, exchange: { code, pair }, extraWrites: deps.replyWrites?.(result) });
  } catch (error) {
    if (!(error instanceof AccountChangedError)) throw error;
    throw new OfferRefusedError('The account was changed after it was offered');
  }
  return result;
}

/**
 * Decides for each connect-only campaign whether it counts a new account as a registration. Such a campaign awards no
 * points. It counts the accounts that are linked while it runs, if its conditions hold at the link. It counts a member
 * once for ever, so a member cannot use up a limit of events.
 */
function decideRegistrations(link: Link, { campaigns, partnerships }: LinkEvidence, at: Date): Registration[] {
  const { membership } = link;
  if (!membership) return [];
  const associations = [associationAfter(link)].filter((one) => one !== undefined);
  const event = { trigger: { type: 'REGISTRATION' }, at, amountCents: null } as const;
  return campaigns
    .filter((campaign) => campaign.type === 'CONNECT_ONLY' && isRunning(campaign, at))
    .flatMap((campaign) => {
      const partnership = partnerships.find(({ uuid }) => uuid === campaign.partnershipUuid);
      if (!partnership) return [];
      const decision = evaluate(campaign, gatherFacts({ associations, spend: [] }, membership, partnership, event));
      const { id, partnershipUuid } = campaign;
      return [{ campaign: { id, partnershipUuid }, decision, isCounted: isCounted(decision) }];
    });
}

/** The ids of a link's new records. */
export function newLinkIds({ nextIds }: Pick<OperationDeps, 'nextIds'>): LinkIds {
  return { user: nextIds(), membership: nextIds().id, association: nextIds().id };
}
