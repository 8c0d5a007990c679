import { seenAt } from '../../domain/member/member.ts';
import { LinkNotFoundError, type Unlinked, unlinkAccount, unlinkAccountStores } from '../connect/unlink-account.ts';
import { NotFoundError, type Subject, subjectText } from '../errors.ts';
import { findOrganisationOfKind, organisationSubject } from '../organisation/find-organisation.ts';
import { type AuditedDeps, auditWrites, type Confirmable } from '../write-audited.ts';
import { findMember, findMemberStores, type MemberReference, memberSubject } from './manage-members.ts';

const manageAccountsStores = { ...findMemberStores, ...unlinkAccountStores };
type ManageAccountsDeps = AuditedDeps<typeof manageAccountsStores>;

/** An operator's order to unlink an account of a member. */
export interface UnlinkOrder extends Confirmable<{ readonly merchantIds: readonly number[] }> {
  readonly member: MemberReference;
  /** The partner of the program, by id or exact name. */
  readonly program: string;
  /** Only at this merchant, by id or exact name; at every merchant by default. */
  readonly merchant?: string | undefined;
}

/**
 * Unlinks a member's account at one merchant, or at every merchant that uses it, one merchant after the other. A
 * repetition continues where the earlier run ended.
 *
 * @throws NotFoundError when there is no such member, or no merchant uses the account
 */
export async function unlinkMember(order: UnlinkOrder, deps: ManageAccountsDeps): Promise<Unlinked[]> {
  const member = await findMember(order.member, deps);
  const partner = await findOrganisationOfKind(order.program, 'PARTNER', deps);
  const only =
    order.merchant === undefined ? undefined : await findOrganisationOfKind(order.merchant, 'MERCHANT', deps);
  const used = member.associations
    .map(({ merchantId }) => merchantId)
    .filter((merchantId) => only === undefined || merchantId === only.id)
    .filter((merchantId) =>
      seenAt(member, merchantId, deps.now()).memberships.some(({ partnerId }) => partnerId === partner.id),
    );
  const account: Subject = { kind: 'linked account of member', id: member.user.id };
  const absent = new NotFoundError(account, { within: organisationSubject(only ?? partner) });
  if (used.length === 0) throw absent;
  await order.confirm?.({ merchantIds: used });

  const unlinked: Unlinked[] = [];
  for (const merchantId of used) {
    const what = `unlinked ${subjectText(memberSubject(member))} from ${subjectText(organisationSubject(partner))} at merchant ${merchantId}`;
    const request = { userId: member.user.id, partnerId: partner.id, merchantId };
    try {
      const extraWrites = await auditWrites(what, deps, { before: request, after: null });
      unlinked.push(await unlinkAccount({ ...request, extraWrites }, deps));
    } catch (error) {
      // The merchant has no partnership with the partner, so there is nothing to unlink.
      if (!(error instanceof LinkNotFoundError)) throw error;
    }
  }
  if (unlinked.length === 0) throw absent;
  return unlinked;
}
