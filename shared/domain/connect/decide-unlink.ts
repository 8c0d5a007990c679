import type { Association, Member } from '../member/member.ts';
import { seenAt } from '../member/member.ts';

/**
 * The changes that an unlink of an account at a merchant makes. The account itself, its points and its debts stay as
 * they are.
 */
export interface Unlink {
  readonly association: Association;
  /** The time of each unlink at the merchant, keyed by the partner's id. Includes this unlink. */
  readonly unlinked: Readonly<Record<string, string>>;
  /**
   * Whether this was the last account of the user that the merchant may use. Then the merchant's customer is detached
   * from the user: the external id of the customer becomes free, and the tokens of the customer end.
   */
  readonly isDetached: boolean;
}

/** The account to unlink, and what the decision depends on. */
export interface UnlinkSubject {
  readonly partnerId: number;
  readonly merchantId: number;
  /** The partners whose programs the merchant may use: those of its active partnerships. */
  readonly usablePartnerIds: readonly number[];
}

/**
 * Decides the changes when an account of a program is unlinked at a merchant. Other merchants may use the account as
 * before.
 *
 * @returns undefined when the merchant uses no account of this program
 */
export function decideUnlink(
  member: Member,
  { partnerId, merchantId, usablePartnerIds }: UnlinkSubject,
  now: Date,
): Unlink | undefined {
  const association = member.associations.find((one) => one.merchantId === merchantId);
  const used = seenAt(member, merchantId, now).memberships.map((membership) => membership.partnerId);
  if (!association || !used.includes(partnerId)) return undefined;
  const isDetached = !used.some((one) => one !== partnerId && usablePartnerIds.includes(one));
  const at = now.toISOString();
  const ended = isDetached ? used : [partnerId];
  const unlinked = { ...association.unlinked, ...Object.fromEntries(ended.map((one) => [String(one), at])) };
  return { association, unlinked, isDetached };
}
