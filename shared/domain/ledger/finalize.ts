import { movementTable } from './movement-table.ts';
import {
  type Charge,
  isBeingRestored,
  isCharged,
  isSameCounter,
  isStanding,
  noRefunds,
  type Refunds,
  type Review,
  type RewardTransaction,
  type TransactionState,
} from './reward-transaction.ts';
import { type Movements, type OwingAccount, sumMovements } from './sum-movements.ts';

/**
 * The final answer for one transaction, or for both legs of a transfer, which end together. The answer comes from the
 * loyalty program, or from an operator after a review.
 */
export type ProgramAnswer =
  /** The program confirmed. `references` are its references to the legs, in the order of the legs. */
  | { readonly kind: 'confirmed'; readonly references: readonly (string | undefined)[] }
  /** One leg was rejected. The other leg fails with it. */
  | { readonly kind: 'rejected'; readonly rejectedId: number; readonly reason: string }
  /** An operator refused a reward that was held for review. The program never received it. */
  | { readonly kind: 'refused'; readonly rejectedId: number; readonly reason: string; readonly review: Review };

/** Pending transactions that end together. */
export interface PendingLegs {
  readonly legs: readonly RewardTransaction[];
  /** The transactions that the legs reverse; empty when the legs are no reversals. */
  readonly originals: readonly RewardTransaction[];
  /** The other rewards that share a charge with the transactions of {@link holdersOf}. */
  readonly sharing: readonly RewardTransaction[];
  /** The accounts to which the answer returns points. An account that is not listed owes no points. */
  readonly accounts: readonly OwingAccount[];
}

/** The transition that an answer causes. */
export const transitionBy = ({ kind }: Pick<ProgramAnswer, 'kind'>) => transitions[kind];

const transitions = { confirmed: 'complete', rejected: 'fail', refused: 'refuse' } as const;

/** The state of the transactions before an answer ends them. */
export const stateBefore = ({ kind }: Pick<ProgramAnswer, 'kind'>): TransactionState =>
  kind === 'refused' ? 'HELD' : 'PENDING';

/**
 * New values of a transaction. The write fails if the state or the refunds of the transaction have changed since they
 * were read.
 */
export interface TransactionChange {
  readonly before: RewardTransaction;
  readonly set: Partial<
    Pick<RewardTransaction, 'state' | 'completedAt' | 'programReference' | 'failureReason' | 'charges' | 'refunds'> &
      Pick<RewardTransaction, 'review' | 'sharesChargesWith'>
  >;
}

/** Everything that changes when transactions end. */
export interface Finalization {
  readonly changes: readonly TransactionChange[];
  readonly movements: Movements;
  /** The transactions whose new status is announced. */
  readonly announced: readonly RewardTransaction[];
  /**
   * The UUIDs of transactions whose purchases are settled again:
   * - transactions that a change of the purchase waited for
   * - confirmed payments with points: rewards for the part that they paid have to be reversed
   * - awards that failed: another award of the purchase may have been reversed because this one stood
   * - transactions whose moves were rejected: reports that arrived meanwhile may need them
   */
  readonly purchaseUuids: readonly string[];
}

const otherLegRejected = 'the other side of the transfer was rejected';

/**
 * Decides how pending transactions end after the program's answer. Awards and payments move points. A reversal also
 * changes its original, which becomes REVERSED when reversals cover all of it.
 *
 * @throws RangeError when an original is missing
 */
export function finalize(
  { legs, originals, sharing, accounts }: PendingLegs,
  answer: ProgramAnswer,
  now: Date,
): Finalization {
  const heir = sharing.find(isStanding);
  const ends = legs.map((leg, position) => {
    const original = leg.reverses && originalOf(leg, originals);
    const pair: Pair = { leg, original, hasHeir: heir !== undefined, sharing };
    if (answer.kind === 'confirmed') return confirm(pair, answer.references[position], now);
    return reject(pair, leg.id === answer.rejectedId ? answer.reason : otherLegRejected);
  });
  const inherited = ends.flatMap((end) => end.inherited ?? []);
  const holders = holdersOf({ legs, originals }, answer);
  const transition = transitionBy(answer);
  const review = answer.kind === 'refused' ? { review: answer.review } : {};
  const changedOriginals = ends.flatMap(({ original }) => original ?? []);
  return {
    changes: [
      ...ends.map(({ leg, set }) => ({ before: leg, set: { ...set, ...review, state: movementTable[transition].to } })),
      ...changedOriginals,
      ...ends.flatMap(({ others = [] }) => others),
      ...(heir && inherited.length > 0
        ? [shareCharges(heir, { added: inherited, ids: [...holders, ...sharing].map(({ id }) => id) })]
        : []),
    ],
    movements: sumMovements(
      ends.map(({ leg, set, charges = set.charges ?? leg.charges }) => ({
        transition,
        transaction: { ...leg, ...set, charges },
      })),
      now,
      accounts,
    ),
    announced: [...legs, ...changedOriginals.filter(({ set }) => set.state !== undefined).map(({ before }) => before)],
    purchaseUuids: announcedAgain(legs, originals, answer),
  };
}

/**
 * Whether the purchase of a transaction depends on an answer. The part of it that is paid with points earns nothing, and
 * the reward of its money is divided among the awards that did not fail.
 */
function changesPurchase(
  { type, reverses, otherLegId, externalTransactionId }: RewardTransaction,
  { kind }: ProgramAnswer,
): boolean {
  if (reverses || otherLegId !== undefined || externalTransactionId === null) return false;
  return (type === 'REDEEM') === (kind === 'confirmed');
}

/**
 * Finds the transactions whose purchases have to be settled again: those that a change waited for, among others. Reports
 * that arrived after a move had begun may have needed no other move, so a rejection announces its purchase, too.
 */
function announcedAgain(
  legs: readonly RewardTransaction[],
  originals: readonly RewardTransaction[],
  answer: ProgramAnswer,
): string[] {
  const awaited = [...legs, ...originals].filter(({ refunds }) => (refunds?.waiting.length ?? 0) > 0);
  const changing = legs.filter((leg) => changesPurchase(leg, answer));
  const refused = answer.kind === 'confirmed' ? [] : originals.filter(({ refunds }) => refunds?.movedFor !== undefined);
  return [...new Set([...awaited, ...changing, ...refused].map(({ uuid }) => uuid))];
}

/**
 * The transactions whose charges an answer may move: the originals of the legs, legs that are rejected or refused, and
 * restorations.
 */
export function holdersOf({ legs, originals }: Pick<PendingLegs, 'legs' | 'originals'>, answer: ProgramAnswer) {
  const isEnded = ({ reverses }: RewardTransaction) => answer.kind !== 'confirmed' && !reverses;
  return [...originals, ...legs.filter((leg) => leg.isRestoration === true || isEnded(leg))];
}

/** The ids of the other rewards that share the charge of a limit with one of these transactions. */
export function idsSharing(holders: readonly RewardTransaction[]): number[] {
  const own = new Set(holders.map(({ id }) => id));
  const others = holders
    .filter(({ charges }) => charges.some(({ isShared }) => isShared))
    .flatMap(({ sharesChargesWith = [] }) => sharesChargesWith);
  return [...new Set(others)].filter((id) => !own.has(id));
}

const isShared = (charge: Charge) => charge.isShared === true;
const isOwn = (charge: Charge) => !isShared(charge);

/**
 * Makes a reward the holder of the charges of an event, or lets the holder know further rewards of the event. The refunds
 * get a new revision, so changes that were decided without this fail.
 *
 * @param events the charges of the event, which are shared from now on
 * @param added shared charges that the reward takes over from another one
 * @param ids the rewards of the event
 */
export function shareCharges(
  before: RewardTransaction,
  {
    events = [],
    added = [],
    ids,
  }: { readonly events?: readonly Charge[]; readonly added?: readonly Charge[]; readonly ids: readonly number[] },
): TransactionChange {
  const { refunds = noRefunds, sharesChargesWith = [] } = before;
  const limits = new Set([...events, ...added].map(({ limitId }) => limitId));
  const own = before.charges.map((charge) => (limits.has(charge.limitId) ? { ...charge, isShared: true } : charge));
  return {
    before,
    set: {
      charges: sumCharges([...own, ...added]),
      sharesChargesWith: [...new Set([...sharesChargesWith, ...ids])].filter((id) => id !== before.id),
      refunds: { ...refunds, revision: refunds.revision + 1 },
    },
  };
}

/** A leg, and the transaction that it reverses if it is a reversal. */
interface Pair {
  readonly leg: RewardTransaction;
  readonly original: RewardTransaction | undefined;
  /**
   * Whether another reward of the same event stands. That reward, the heir, takes over the shared charges.
   */
  readonly hasHeir: boolean;
  /** The other rewards of the same event. */
  readonly sharing: readonly RewardTransaction[];
}

/** How a leg ends and, if it is a reversal, how the reversed transaction changes. */
interface End {
  readonly leg: RewardTransaction;
  readonly set: TransactionChange['set'];
  readonly original?: TransactionChange;
  /** Charges that the heir takes over. They are not returned. */
  readonly inherited?: readonly Charge[];
  /** The charges that move, if the leg does not keep all of them. */
  readonly charges?: Charge[];
  /** Other rewards of the event that have to be as they were read. */
  readonly others?: readonly TransactionChange[];
}

function confirm({ leg, original, hasHeir, sharing }: Pair, reference: string | undefined, now: Date): End {
  const programReference = reference && { programReference: reference };
  if (!original) return { leg, set: { completedAt: now.toISOString(), ...programReference } };
  if (leg.isRestoration) return confirmRestoration({ leg, original, sharing }, { ...programReference });
  const kept = hasHeir ? original.charges.filter(isOwn) : original.charges;
  const { refunds, isOver, charges } = afterReversal({ ...original, charges: kept }, leg);
  const becomesReversed = isOver && original.state !== 'REVERSED';
  // A restored original is REVERSED already: it may be the heir of shared charges, and passes them on again.
  const inherited = hasHeir && isOver ? without(original.charges.filter(isShared), refunds.returned) : [];
  const set = {
    refunds,
    ...(becomesReversed && { state: movementTable.reverse.to }),
    ...(isOver && { charges: without(original.charges, inherited) }),
  };
  return { leg, set: { charges, ...programReference }, original: { before: original, set }, inherited };
}

/** A restoration, its original, and the other rewards of the event. */
interface Restoration {
  readonly leg: RewardTransaction;
  readonly original: RewardTransaction;
  readonly sharing: readonly RewardTransaction[];
}

/**
 * Reversals of the original returned charges to limits. A restoration adds these charges again. A REVERSED original
 * stays REVERSED, and its points belong to the restoration from now on.
 *
 * The event is counted again if no reward counts it. A charge that the original did not contain belongs to the original
 * from now on: another reward counted the event before.
 */
function confirmRestoration({ leg, original, sharing }: Restoration, set: TransactionChange['set']): End {
  const answered = withAnswer(original);
  const events = leg.charges.filter(isShared);
  const counting = [original, ...sharing].find((one) => events.some((charge) => isCharged(one, charge)));
  const charges = counting ? leg.charges.filter(isOwn) : leg.charges;
  const isReturned = (charge: Charge) => answered.returned.some((one) => isSameCounter(one, charge));
  const fresh = charges.filter((charge) => isShared(charge) && !isReturned(charge));
  const refunds = { ...answered, returned: without(sumCharges(answered.returned), charges) };
  const { sharesChargesWith = [] } = leg;
  const taken = fresh.length > 0 && { charges: sumCharges([...original.charges, ...fresh]), sharesChargesWith };
  const holders = counting ? [counting] : events.length > 0 ? sharing.filter(isBeingRestored) : [];
  return {
    leg,
    set: { ...set, charges: charges.filter((charge) => !fresh.includes(charge)) },
    charges,
    original: { before: original, set: { refunds, ...taken } },
    others: holders.filter((one) => one !== original).map((one) => shareCharges(one, { events, ids: [original.id] })),
  };
}

function reject({ leg, original, hasHeir }: Pair, failureReason: string): End {
  if (!original) {
    if (!hasHeir) return { leg, set: { failureReason } };
    const { charges } = leg;
    return { leg, set: { failureReason, charges: charges.filter(isOwn) }, inherited: charges.filter(isShared) };
  }
  const refunds = afterRefusedReversal(original, leg);
  return { leg, set: { failureReason }, original: { before: original, set: { refunds } } };
}

function originalOf({ id, reverses }: RewardTransaction, originals: readonly RewardTransaction[]): RewardTransaction {
  const found = originals.find((original) => original.id === reverses?.id);
  if (!found) throw new RangeError(`the original of reversal ${id} is missing`);
  return found;
}

/** The original of a reversal after the program confirmed the reversal. */
export interface ConfirmedReversal {
  readonly refunds: Refunds;
  /** Whether the reversals cover the whole original. */
  readonly isOver: boolean;
  /** The charges that the reversal returns to limits of the member. */
  readonly charges: Charge[];
}

/**
 * Decides how a transaction changes after the program confirmed one of its reversals. When reversals cover the whole
 * transaction, the last reversal returns all charges that are left. Only this reversal returns the charges of limits
 * that count events. This is decided only now, because the program may still reject a pending reversal.
 *
 * @throws Error when the transaction has no reversals
 */
export function afterReversal(original: RewardTransaction, reversal: RewardTransaction): ConfirmedReversal {
  const refunds = withAnswer(original);
  const isOver = refunds.pendingReversals === 0 && isNothingLeft(original, refunds);
  const charges = isOver ? without(original.charges, refunds.returned) : reversal.charges;
  return { refunds: { ...refunds, returned: [...refunds.returned, ...charges] }, isOver, charges };
}

/**
 * Decides how a transaction changes after the program rejected one of its reversals or restorations. After a rejected
 * reversal the transaction keeps the amount. After a rejected restoration the amount stays reversed.
 *
 * @throws Error when the transaction has no reversals
 */
export function afterRefusedReversal(original: RewardTransaction, reversal: RewardTransaction): Refunds {
  const { isVoid: wasVoid, voidedBy, ...refunds } = withAnswer(original);
  const sign = reversal.isRestoration ? 1 : -1;
  const isOfOperator = reversal.reversalReason !== undefined;
  // An operator's reversal was rejected: its amount is the member's again, so refunds and payments count again.
  const isVoid = wasVoid && !isOfOperator;
  return {
    ...refunds,
    ...(isVoid && { isVoid, ...(voidedBy !== undefined && { voidedBy }) }),
    // It says nothing about the moves of the purchase.
    ...((!isOfOperator || original.refunds?.isRefused) && { isRefused: true }),
    points: refunds.points + sign * reversal.points,
    cashbackCents: refunds.cashbackCents + sign * reversal.cashbackCents,
  };
}

function withAnswer({ id, refunds }: RewardTransaction): Refunds {
  if (!refunds) throw new Error(`transaction ${id} has no reversals`);
  const { isRefused: _, isRestoring: __, ...others } = refunds;
  return { ...others, revision: refunds.revision + 1, pendingReversals: refunds.pendingReversals - 1 };
}

const isNothingLeft = (
  { points, cashbackCents }: RewardTransaction,
  reversed: Pick<Refunds, 'points' | 'cashbackCents'>,
) => reversed.points >= points && reversed.cashbackCents >= cashbackCents;

/** Adds up charges: the result has one entry for each limit and period. */
export function sumCharges(charges: readonly Charge[]): Charge[] {
  const counters = Map.groupBy(charges, ({ limitId, period }) => `${limitId}#${period}`);
  return [...counters.values()].flatMap((own) =>
    own.slice(0, 1).map((charge) => ({ ...charge, amount: own.reduce((sum, { amount }) => sum + amount, 0) })),
  );
}

/**
 * Subtracts the charges `others` from the charges with the same limit and period. Charges with no amount left are
 * omitted.
 */
function without(charges: readonly Charge[], others: readonly Charge[]): Charge[] {
  return charges.flatMap((charge) => {
    const same = others.filter((other) => isSameCounter(other, charge));
    const amount = same.reduce((left, other) => left - other.amount, charge.amount);
    return amount > 0 ? [{ ...charge, amount }] : [];
  });
}
