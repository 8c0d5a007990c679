import * as z from 'zod/mini';
import {
  maximumCharacters,
  maximumPoints,
  maximumPointsAdjustedAlone,
  maximumPointsMovedAlone,
  validityMs,
} from '../../contracts/limits.ts';
import { plainError } from '../errors.ts';
import type { Membership, User } from '../member/member.ts';
import type { Movements } from './sum-movements.ts';

/** Manual adjustments: points that operators add to an account or take from it, with a reason. */

/**
 * The operator who proposed or decided an adjustment, and the person on whose behalf the operator acted, if one was
 * named.
 */
const Signature = z.object({ operator: z.string(), actor: z.nullable(z.string()), at: z.string() });
export type Signature = z.infer<typeof Signature>;

export const ManualAdjustment = z.object({
  /** The ids of the ledger entry; the UUID is also the id of the adjustment. */
  id: z.int(),
  uuid: z.string(),
  userId: z.int(),
  partnerId: z.int(),
  /** Signed, never zero: the change of the balance. */
  points: z.int().check(
    z.refine((points) => points !== 0),
    z.gte(-maximumPoints),
    z.lte(maximumPoints),
  ),
  reason: z.string().check(z.minLength(1), z.maxLength(maximumCharacters.text)),
  /** The operator's own reference, such as a ticket. No two adjustments of an account have the same reference. */
  reference: z.string().check(z.minLength(1), z.maxLength(maximumCharacters.text)),
  /** Only APPLIED moves points. A proposal becomes APPLIED or REFUSED; both are final. */
  state: z.enum(['PROPOSED', 'APPLIED', 'REFUSED']),
  proposed: Signature,
  /** When the proposal expires. ISO 8601. */
  expiresAt: z.string(),
  /** The approval or refusal. For an adjustment without a second person it equals `proposed`. */
  decided: z.optional(Signature),
});
export type ManualAdjustment = z.infer<typeof ManualAdjustment>;

/** The fields of an adjustment that an operator chooses. */
export type WantedAdjustment = Pick<ManualAdjustment, 'userId' | 'partnerId' | 'points' | 'reason' | 'reference'>;

/** What a new adjustment depends on, and its ids. */
interface AdjustmentBasis extends Pick<ManualAdjustment, 'id' | 'uuid'> {
  readonly account: Membership;
  readonly alone: MovedAlone;
}

/** Points that were moved in this month without a second person. */
export interface MovedAlone {
  /** The points by which operators adjusted the account. */
  readonly ofAccount: number;
  /** The points that the operator moved, in all accounts and by all commands. */
  readonly byPerson: number;
}

/** The rules do not allow the adjustment. The message is the reason, as a sentence without a full stop. */
export class AdjustmentNotAllowedError extends plainError('AdjustmentNotAllowedError', 'not allowed') {}

/** Whether a second person has to approve an adjustment. */
function needsSecondPerson({ points }: Pick<WantedAdjustment, 'points'>, { ofAccount, byPerson }: MovedAlone): boolean {
  const amount = Math.abs(points);
  return amount + ofAccount > maximumPointsAdjustedAlone || amount + byPerson > maximumPointsMovedAlone;
}

/**
 * A change of an account's balance by a command other than `member adjust`: the account is opened, changed, given up,
 * or moved by a merge.
 */
export interface BalanceChange {
  readonly partnerId: number;
  /** The account's number in the program. */
  readonly memberId: string;
  /** The member who has the account, or the person for whom it is opened. An approval is for this holder only. */
  readonly holder: string;
  /**
   * What the balance counts; points if absent. For the maximums, a cent of cashback or an owed point counts as one
   * point.
   */
  readonly unit?: 'CENTS' | 'OWED';
  readonly from: number;
  readonly to: number;
  /**
   * For points that a command gives to a member's account: the member, and the record that gives them, such as
   * `reversal of transaction 5`. They also count in the month of the account, as an adjustment does.
   */
  readonly given?: { readonly userId: number; readonly by: string };
}

/** The change by which a command gives points to an account of a member, or cents of cashback. */
export const giftTo = (
  { userId, partnerId }: Pick<Membership, 'userId' | 'partnerId'>,
  amount: { readonly points: number } | { readonly cents: number },
  by: string,
): BalanceChange => ({
  ...{ partnerId, memberId: linkedHolder(userId), holder: linkedHolder(userId), from: 0, given: { userId, by } },
  ...('points' in amount ? { to: amount.points } : { to: amount.cents, unit: 'CENTS' }),
});

/** The points that changes give to each account of a member. */
export function giftsByAccount(changes: readonly BalanceChange[]): AccountGift[] {
  const given = changes.flatMap(({ partnerId, given: gift, from, to }) =>
    gift ? [{ userId: gift.userId, partnerId, points: to - from }] : [],
  );
  const accounts = Map.groupBy(given, ({ userId, partnerId }) => `${userId} ${partnerId}`);
  return [...accounts.values()].flatMap((own) =>
    own.slice(0, 1).map((account) => ({ ...account, points: own.reduce((sum, { points }) => sum + points, 0) })),
  );
}

/** Points that a command gives to one account of a member. */
export interface AccountGift extends Pick<Membership, 'userId' | 'partnerId'> {
  readonly points: number;
}

/** What one command moves. An approval is for exactly one move. */
export interface Move {
  readonly changes: readonly BalanceChange[];
  /** The members whose merge makes the changes; absent for other commands. */
  readonly merge?: { readonly keptId: number; readonly goneId: number };
}

/** The holder of a linked account, as an approval names it. */
export const linkedHolder = (userId: number): string => `member ${userId}`;

/** The holder of an account that no member has linked. */
export const namedHolder = (holder: Pick<User, 'firstName' | 'lastName'> & { readonly email: string | null }): string =>
  JSON.stringify([holder.firstName, holder.lastName, holder.email]);

/** The sum of all points that changes move. Taken points count as positive too. */
export const pointsMovedBy = (changes: readonly BalanceChange[]): number =>
  changes.reduce((sum, { from, to }) => sum + Math.abs(to - from), 0);

/**
 * Whether one operator may make changes without a second person. The maximum also applies to the balance before and
 * after each change. So several small changes do not get around it.
 */
export const mayMoveAlone = (changes: readonly BalanceChange[], byPerson: number): boolean =>
  changes.every(({ from, to }) => Math.max(Math.abs(from), Math.abs(to)) <= maximumPointsAdjustedAlone) &&
  byPerson + pointsMovedBy(changes) <= maximumPointsMovedAlone;

/**
 * Decides a new adjustment: applied at once, or a proposal for a second person.
 *
 * @throws AdjustmentNotAllowedError when the adjustment takes points that are not available
 */
export function decideAdjustment(
  wanted: WantedAdjustment,
  { account, alone, id, uuid }: AdjustmentBasis,
  proposed: Signature,
): ManualAdjustment {
  checkAvailable(wanted, account);
  const expiresAt = new Date(Date.parse(proposed.at) + validityMs.adjustmentProposal).toISOString();
  const adjustment = { ...wanted, id, uuid, proposed, expiresAt };
  return needsSecondPerson(wanted, alone)
    ? { ...adjustment, state: 'PROPOSED' }
    : { ...adjustment, state: 'APPLIED', decided: proposed };
}

/**
 * Decides the approval of a proposal.
 *
 * @throws AdjustmentNotAllowedError when the proposal was decided or has expired, when its proposer approves it, or
 *   when the points to take are not available
 */
export function approveAdjustment(
  adjustment: ManualAdjustment,
  account: Membership,
  decided: Signature,
): ManualAdjustment {
  checkOpen(adjustment, decided);
  // The claimed `actor` proves nothing, so only the proven identity counts.
  if (personOf(adjustment.proposed) === personOf(decided)) {
    throw new AdjustmentNotAllowedError(`${decided.operator} proposed it: another operator has to approve it`);
  }
  checkAvailable(adjustment, account);
  return { ...adjustment, state: 'APPLIED', decided };
}

/**
 * The person behind a proven identity. One person may have several roles: their ARNs have the same last part, the name
 * of the session or of the user.
 */
export const personOf = ({ operator }: Pick<Signature, 'operator'>): string =>
  operator.slice(operator.lastIndexOf('/') + 1).toLowerCase();

/**
 * Decides the refusal of a proposal. The proposer may also refuse it, to withdraw it.
 *
 * @throws AdjustmentNotAllowedError when the proposal was decided or has expired
 */
export function refuseAdjustment(adjustment: ManualAdjustment, decided: Signature): ManualAdjustment {
  checkOpen(adjustment, decided);
  return { ...adjustment, state: 'REFUSED', decided };
}

/** Whether a proposal waits for a second person at `now`. */
export const isOpenProposal = ({ state, expiresAt }: ManualAdjustment, now: Date): boolean =>
  state === 'PROPOSED' && now.getTime() < Date.parse(expiresAt);

/** The movements of an applied adjustment: the available points of the account, and its ledger entry. */
export function movementsOfAdjustment({ id, uuid, userId, partnerId, points }: ManualAdjustment, now: Date): Movements {
  const nothing = { held: 0, owed: 0, earned: 0, redeemed: 0, cashbackCents: 0, settlements: 0, answered: 0 };
  const conditions = points < 0 ? [{ balance: 'available', is: 'at-least', points: 0 - points } as const] : [];
  return {
    accounts: [{ userId, partnerId, available: points, ...nothing, conditions }],
    associations: [],
    usage: [],
    entries: [
      {
        ...{ userId, partnerId, campaign: null, transactionId: id, transactionUuid: uuid },
        ...{ kind: 'MANUAL_ADJUSTMENT', points, cashbackCents: 0, createdAt: now.toISOString() },
      },
    ],
  };
}

function checkOpen({ state, expiresAt, decided }: ManualAdjustment, { at }: Signature): void {
  if (state !== 'PROPOSED') {
    const by = decided ? ` by ${decided.operator} at ${decided.at}` : '';
    throw new AdjustmentNotAllowedError(`it was ${state === 'APPLIED' ? 'applied' : 'refused'}${by}`);
  }
  if (Date.parse(at) >= Date.parse(expiresAt))
    throw new AdjustmentNotAllowedError(`the proposal expired at ${expiresAt}`);
}

/** Held points belong to a live token or a pending redemption, so an adjustment takes available points only. */
function checkAvailable(
  { points }: Pick<WantedAdjustment, 'points'>,
  { availablePoints, heldPoints }: Membership,
): void {
  if (points > 0 || 0 - points <= availablePoints) return;
  throw new AdjustmentNotAllowedError(
    `the account has ${availablePoints} available points and ${heldPoints} held points; only available points can be taken`,
  );
}
