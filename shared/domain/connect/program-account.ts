import * as z from 'zod/mini';
import type { Membership } from '../member/member.ts';
import type { ProvenAccount } from './decide-link.ts';

// Accounts of hosted programs: what may change in them, and when they may be closed.

/** An account of a hosted program, linked to a user or not. */
export const ProgramAccount = z.object({
  partnerId: z.int(),
  memberId: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  /** Verified by the program. */
  email: z.nullable(z.string()),
  statusTierId: z.nullable(z.int()),
  /** The balance before the account is linked. After the link, the membership contains the balance. */
  openingPoints: z.int(),
  /** An account without a PIN cannot be linked by its holder, only by an operator. */
  pinSalt: z.optional(z.string()),
  /** scrypt of the PIN, hex: a PIN is short, so guessing it must be slow. */
  pinHash: z.optional(z.string()),
  /** Counts the changes of operators. A link fails if the account was proved before the last change. */
  revision: z.optional(z.int()),
  /** Counts the links. An operator's change fails if a link happened after the account was read for the change. */
  links: z.optional(z.int()),
  /** When the first link put the opening balance into the ledger. */
  bookedAt: z.optional(z.string()),
  /** A closed account is never linked again. */
  closedAt: z.optional(z.string()),
});
export type ProgramAccount = z.infer<typeof ProgramAccount>;

/** The values of an account that an operator sets. */
export type AccountValues = Pick<ProgramAccount, 'firstName' | 'lastName' | 'email' | 'statusTierId' | 'openingPoints'>;
const valueNames = ['firstName', 'lastName', 'email', 'statusTierId', 'openingPoints'] as const;

/**
 * Lists the values of an account that differ from new values. A value that is absent from the new values counts as
 * equal.
 */
export const differencesOf = (account: AccountValues, others: Partial<AccountValues>): (keyof AccountValues)[] =>
  valueNames.filter((name) => others[name] !== undefined && others[name] !== account[name]);

/** Why an account cannot be changed or closed as asked. */
export type AccountRefusal = 'closed' | 'points_are_in_the_ledger' | 'used_by_merchants' | 'held_points' | 'has_points';

/**
 * Decides a change of an account. The opening balance changes only until the first link puts it into the ledger.
 *
 * @param membership the account in the books, if it was ever linked
 * @returns only the values that change; an empty object when the account already has all wanted values
 */
export function decideChange(
  account: ProgramAccount,
  membership: Membership | undefined,
  wanted: Partial<AccountValues>,
): Partial<AccountValues> | { readonly refused: AccountRefusal } {
  if (account.closedAt !== undefined) return { refused: 'closed' };
  const names = differencesOf(account, wanted);
  if (names.includes('openingPoints') && membership) return { refused: 'points_are_in_the_ledger' };
  const changed = { ...wanted };
  for (const name of valueNames) if (!names.includes(name)) delete changed[name];
  return changed;
}

/** An account with everything that its closing depends on. */
export interface ClosingAccount {
  readonly account: ProgramAccount;
  /** The account in the books, if it was ever linked. */
  readonly membership: Membership | undefined;
  /** The merchants that use the account. */
  readonly merchantIds: readonly number[];
}

/** How an account is closed. */
export interface Closing {
  /** The points that an adjustment takes out of the ledger. Below zero when the balance was below zero. */
  readonly bookedPoints: number;
  /** Points of the opening balance, which never reached the ledger. */
  readonly unbookedPoints: number;
}

/**
 * Decides whether an account may be closed. No merchant may use the account, and none of its points may be held. What
 * the member owes stays in the books.
 *
 * @param writesOff whether the points of the account are given up
 */
export function decideClosing(
  { account, membership, merchantIds }: ClosingAccount,
  { writesOff }: { readonly writesOff: boolean },
): Closing | { readonly refused: AccountRefusal } {
  if (merchantIds.length > 0) return { refused: 'used_by_merchants' };
  if (membership && membership.heldPoints > 0) return { refused: 'held_points' };
  const bookedPoints = membership?.availablePoints ?? 0;
  const unbookedPoints = membership ? 0 : account.openingPoints;
  const points = bookedPoints + unbookedPoints;
  // Points may come back to a closed account, for example by a refund. Then the account may be closed once more.
  if (account.closedAt !== undefined && points === 0) return { refused: 'closed' };
  if (points !== 0 && !writesOff) return { refused: 'has_points' };
  return { bookedPoints, unbookedPoints };
}

/** Makes the input of a link from an account of a hosted program: its holder has proved it, or an operator links it. */
export function toProvenAccount(account: ProgramAccount): ProvenAccount {
  const { partnerId, memberId, firstName, lastName, email, statusTierId, openingPoints, revision = 0 } = account;
  return { partnerId, externalId: memberId, firstName, lastName, email, statusTierId, points: openingPoints, revision };
}
