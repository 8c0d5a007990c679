import { maximumCount } from '../../contracts/limits.ts';
import { decideUnlink } from '../../domain/connect/decide-unlink.ts';
import { plainError, UserNotFoundError } from '../../domain/errors.ts';
import { isNamedBy, type Member } from '../../domain/member/member.ts';
import { Partnerships } from '../../store/campaign/partnerships.ts';
import { LinkConflictError, Links } from '../../store/connect/connect.ts';
import { Grants } from '../../store/credential/grants.ts';
import { Members } from '../../store/member/members.ts';
import type { Write } from '../../store/table/table-client.ts';
import { type Deps, decideAndWrite, type Replying } from '../operation.ts';

export const unlinkAccountStores = { partnerships: Partnerships, grants: Grants, links: Links, members: Members };
type UnlinkDeps = Deps<typeof unlinkAccountStores> & Replying<Unlinked>;

/** The merchant uses no account of the user with this program. */
export class LinkNotFoundError extends plainError(
  'LinkNotFoundError',
  'The user has no linked account of this program; look at partner_status_tiers of the user',
) {}

/** A request to unlink an account of a user at a merchant. */
export interface UnlinkRequest {
  readonly userId: number;
  /** The UUID under which the caller knows the user; undefined if the caller knows the user by the integer id. */
  readonly userUuid?: string | undefined;
  readonly partnerId: number;
  readonly merchantId: number;
  /** Writes of the same transaction, such as a row of the audit trail. */
  readonly extraWrites?: readonly Write[];
}

/** The outcome of an unlink. */
export interface Unlinked {
  readonly userId: number;
  readonly partnerId: number;
  readonly merchantId: number;
  /** Whether it was the user's last account at the merchant. Then the merchant's tokens of the user are revoked. */
  readonly isDetached: boolean;
}

/**
 * Unlinks an account of a program at a merchant. The account keeps its user, points, debts and history for a later
 * link. What began earlier continues: unspent tokens, pending transactions, refunds, orders and payments.
 *
 * Takes two round trips and the write; if it is the user's last account at the merchant, revoking the tokens takes two
 * more.
 *
 * @throws UserNotFoundError when the user is not a customer of the merchant
 * @throws LinkNotFoundError
 * @throws ContentionError when other links and unlinks of the same user keep causing conflicts
 */
export async function unlinkAccount(request: UnlinkRequest, deps: UnlinkDeps): Promise<Unlinked> {
  const { unlinked, grantIds } = await decideAndWrite(
    {
      subject: `the account of user ${request.userId} with partner ${request.partnerId}`,
      load: () => loadUnlink(request, deps),
      write: (loaded) => writeUnlink(request, loaded, deps),
      conflicts: [LinkConflictError],
    },
    deps,
  );
  deps.log.info('account unlinked', { ...unlinked });
  // If the process ends here, the consumer finish-revocation completes the revocation.
  await Promise.all(grantIds.map((grantId) => deps.grants.revokeFamily(grantId)));
  return unlinked;
}

/** Everything that an unlink depends on. */
interface LoadedUnlink {
  readonly member: Member | undefined;
  /** The partners that the merchant has a partnership with. */
  readonly partnerIds: readonly number[];
  /** The partners in `partnerIds` whose partnership is active. */
  readonly usablePartnerIds: readonly number[];
  /** The grants of the user to the merchant. */
  readonly grantIds: readonly string[];
}

async function loadUnlink({ userId, merchantId }: UnlinkRequest, deps: UnlinkDeps): Promise<LoadedUnlink> {
  const [member, partnerships, grants] = await Promise.all([
    deps.members.find(userId),
    deps.partnerships.of('byMerchant', merchantId),
    // Reads the grants before the write: the write fails if a link has made another grant since.
    deps.grants.activeOf(userId, merchantId),
  ]);
  const partnerIds = partnerships.map(({ partnerId }) => partnerId);
  const usablePartnerIds = partnerships.filter(({ isActive }) => isActive).map(({ partnerId }) => partnerId);
  return { member, partnerIds, usablePartnerIds, grantIds: grants.map(({ id }) => id) };
}

async function writeUnlink(request: UnlinkRequest, loaded: LoadedUnlink, deps: UnlinkDeps) {
  const { userId, userUuid, partnerId, merchantId, extraWrites = [] } = request;
  const { member, usablePartnerIds } = loaded;
  const isCustomer = member?.associations.some((one) => one.merchantId === merchantId);
  if (!member || !isCustomer || !isNamedBy(member, userUuid ?? member.user.uuid)) throw new UserNotFoundError();
  const now = deps.now();
  // Without a partnership with the partner, the merchant does not learn whether the user has an account in the
  // partner's program.
  const isPartner = loaded.partnerIds.includes(partnerId);
  const unlink = isPartner ? decideUnlink(member, { partnerId, merchantId, usablePartnerIds }, now) : undefined;
  if (!unlink) throw new LinkNotFoundError();

  const { isDetached } = unlink;
  const unlinked: Unlinked = { userId, partnerId, merchantId, isDetached };
  const grantIds = isDetached ? loaded.grantIds : [];
  // Grants that do not fit into the write are revoked before it.
  const atOnce = maximumCount.grantsTogether;
  const context = { now, nextUuid: deps.nextUuid };
  for (const grantId of grantIds.slice(atOnce)) await deps.grants.revoke(grantId, context);
  const replyWrites = [...(deps.replyWrites?.(unlinked) ?? []), ...extraWrites];
  await deps.links.unlink({ unlink, grantIds: grantIds.slice(0, atOnce), context: { ...context, replyWrites } });
  return { unlinked, grantIds: grantIds.slice(0, atOnce) };
}
