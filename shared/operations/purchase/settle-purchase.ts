import { isDeepStrictEqual } from 'node:util';
import type { InternalEvent } from '../../contracts/events.ts';
import { awsMaximumItems } from '../../contracts/limits.ts';
import { settledClaim } from '../../domain/award/claim.ts';
import { seenAt } from '../../domain/member/member.ts';
import { finalizeOrder, type Order } from '../../domain/order/order.ts';
import { areRefundsApplied, withRefundsApplied } from '../../domain/order/refund.ts';
import { isClaimable } from '../../domain/payment/payment.ts';
import { type Purchase, withSpent } from '../../domain/purchase/purchase.ts';
import { moneyBought, moneyLeft } from '../../domain/purchase/settle.ts';
import { claimChangeWrite } from '../../store/award/claims.ts';
import { moveWrites } from '../../store/ledger/reversals.ts';
import { LimitConflictError, TransactionConflictError } from '../../store/ledger/transactions.ts';
import { purchaseName } from '../../store/member/spend.ts';
import { orderChangeWrite, orderFinalWrite } from '../../store/order/orders.ts';
import { paymentWrites } from '../../store/payment/payments.ts';
import { ConditionFailedError, type Write } from '../../store/table/table-client.ts';
import { decideAndWrite } from '../operation.ts';
import { type Awarding, awardPurchase, isAwardDue, type SettlementRound } from './award-purchase.ts';
import { findPayer, linkCustomers } from './find-payer.ts';
import { joinPurchase } from './join-purchase.ts';
import { type Book, findReport, loadBook, type PurchaseReport } from './load-book.ts';
import { findMoves, type Moves } from './move-rewards.ts';
import { paymentsAfter } from './payments-after.ts';
import type { SettleDeps } from './settle-stores.ts';
import { settleTransfer } from './settle-transfer.ts';

/**
 * Settles a purchase: reads everything that was reported of it, decides what its rewards should be, and writes the
 * awards, further awards, reversals and restorations that are missing. Every decision reads the present book, and not the
 * event. So the number and the order of the reports make no difference.
 *
 * All writes require the revision of the head that was read. If another run was faster, this run reads the book again; if
 * nothing is to do, or if others have settled its reports, it ends. Safe to repeat from any point.
 *
 * @throws Error when there is no such order, payment or transaction
 * @throws TokenAwaitedError while a token of the purchase may still be spent; everything else is settled
 * @throws ContentionError when other writers keep changing the purchase; a retry may work
 */
export async function settlePurchase(event: Pick<InternalEvent, 'name' | 'entityId'>, deps: SettleDeps): Promise<void> {
  const report = await findReport(event, deps);
  if ('authenticationId' in report) return settleTransfer(report, deps);
  let awaits: Error | undefined;
  for (let isDone = false; !isDone; ) {
    const isAnswer = event.name === 'purchase_changed';
    const round = await settleOnce({ report, isAnswer, isAwaiting: awaits !== undefined }, deps);
    awaits = round.awaits ?? awaits;
    isDone = round.isDone;
  }
  if (awaits) throw awaits;
}

/** The result of one round. A round that wrote something that has to be read again is not done. */
interface Round {
  readonly isDone: boolean;
  readonly awaits?: Error | undefined;
}

interface RoundParts {
  readonly report: PurchaseReport;
  /** Whether an earlier round found a live token that the awards wait for. */
  readonly isAwaiting: boolean;
  /** Whether the event announces an answer of the program, and not a report. */
  readonly isAnswer: boolean;
}

function settleOnce(parts: RoundParts, deps: SettleDeps): Promise<Round> {
  const { report } = parts;
  const { merchantId, externalTransactionId } = report.key;
  const heads: Purchase[] = [];
  return decideAndWrite<Book, Round>(
    {
      subject: `purchase ${externalTransactionId} of merchant ${merchantId}`,
      load: async () => {
        const book = await loadBook(report, deps);
        heads.push(book.stored);
        return book;
      },
      write: async (book) => (areSettledByOthers(report, heads) ? { isDone: true } : settleBook(book, parts, deps)),
      conflicts: [ConditionFailedError, TransactionConflictError, LimitConflictError],
    },
    deps,
  );
}

/**
 * Whether another run has read every report of this run: settlements have changed the head twice since this run read it
 * first. The second one required the head that the first one wrote, so it read all reports later than this run. If it
 * could not finish, its own message is repeated. Without this end, one of many runs could lose to newer reports for
 * seconds, and hold a place of the queue meanwhile.
 *
 * Only this run may know where its report is: then it goes on until the head knows it, too.
 *
 * @param heads the heads that this run has read, the oldest first
 */
function areSettledByOthers({ campaignIds = [], paymentUuid }: PurchaseReport, heads: readonly Purchase[]): boolean {
  const last = heads.at(-1);
  const isKnown =
    campaignIds.every((id) => last?.campaignIds?.includes(id)) &&
    (paymentUuid === undefined || last?.stated?.includes(paymentUuid) === true);
  if (!isKnown) return false;
  const own = heads.filter((head) => purchaseName(head) === purchaseName(last ?? head));
  return own.filter(({ stated }, position) => position > 0 && stated !== own[position - 1]?.stated).length >= 2;
}

async function settleBook(known: Book, { isAwaiting, isAnswer }: RoundParts, deps: SettleDeps): Promise<Round> {
  const [joining] = known.joining;
  if (joining !== undefined) {
    await joinPurchase(known, joining, deps);
    return { isDone: false };
  }
  const isDue = isAwardDue(known);
  // After an answer of the program, the same statements may need a move.
  if (known.isUnchanged && !isDue && !isAnswer) return { isDone: true };
  const book = { ...known, statements: await known.withRefunds() };
  const awarding = !isAwaiting && isDue ? await award(book, deps) : undefined;
  if (awarding?.awaits) return { isDone: false, awaits: awarding.awaits };
  if (awarding?.recorded) return { isDone: !awarding.recorded.isCut && isComplete(book) };
  const moves = await findMoves(book, deps);
  const round = fillRound({ book, awarding, moves, isAwaiting }, awsMaximumItems.itemsPerTransaction, deps);
  await deps.reversals.settle(round.moves, round.records, { now: deps.now(), nextUuid: deps.nextUuid });
  if (round.isCut) return { isDone: false };
  if (awarding === undefined) return { isDone: true };
  // The refunds of an order are applied in the round after its decision.
  const hasRefunds = book.order?.state === 'PENDING' && !areRefundsApplied(book.order);
  const isDone = !(awarding.isWritten || hasRefunds || (await isLinkedMeanwhile(book, awarding, deps)));
  return { isDone };
}

/** Whether the first awards of a purchase leave nothing to move: nothing is returned, and nothing stood before. */
function isComplete({ claims, statements, order, payments }: Book): boolean {
  const merchant = [...(statements.order ? [statements.order] : []), ...statements.claims];
  const isReturned =
    merchant.some(({ refunds }) => refunds.length > 0) ||
    statements.payments.some(({ returnedCents, failedCents }) => returnedCents + failedCents > 0);
  return claims.length === 0 && !isReturned && (order === undefined || payments.length === 0);
}

async function award(book: Book, deps: SettleDeps): Promise<Awarding> {
  const record = (awarded: Awarding, room: number) =>
    fillRound({ book, awarding: awarded, isAwaiting: false }, room, deps);
  const awarding = await awardPurchase(book, record, deps);
  const { payer, purchase } = awarding;
  if (typeof payer === 'number' && purchase.transactionIds.length > 0) {
    const news = book.payments.filter(({ payment }) => payment.userId === undefined);
    for (const { payment } of news) await linkCustomers(payment, payer, deps);
  }
  return awarding;
}

/** A settlement that is to be recorded. */
interface Settlement {
  readonly book: Book;
  readonly awarding?: Awarding | undefined;
  readonly moves?: Moves;
  readonly isAwaiting: boolean;
  /** Whether the next round has to write a part of it. */
  readonly isCut?: boolean;
}

/**
 * Fills one round of a settlement: always with the head with the member's spend, and the order; and with as many moves,
 * claims and payments, in this order, as fit into the room, but at least one. So a payment lists only transactions that
 * are written.
 *
 * @param room the most items; a transaction of the table holds 100
 */
function fillRound(settlement: Settlement, room: number, deps: SettleDeps): SettlementRound {
  const { book, awarding, moves } = settlement;
  const context = { now: deps.now(), nextUuid: deps.nextUuid };
  const payments = paymentsAfter(book, { head: headAfter(settlement, context.now), awarding }, deps);
  const { applied = [], waiting = [], further = [] } = moves ?? {};
  const marked = waiting.filter(({ original, refunds }) => refunds !== original.refunds);
  const others = [
    ...claimWrites(settlement).map((write) => [write]),
    ...payments.map(({ payment, references }) => paymentWrites(payment, references)),
  ];
  const most = applied.length + marked.length + further.length + others.length;
  const needed = most - payments.filter(({ isChanged }) => !isChanged).length;
  for (let count = Math.min(most, room); ; count -= 1) {
    const take = taking(count);
    const taken = { applied: take(applied), waiting: take(marked), further: take(further) };
    const isCut = count < needed || moves?.isCut === true;
    const part = { ...settlement, isCut, ...(moves && { moves: { ...moves, further: taken.further } }) };
    const records = [...headWrites(part, context.now, deps), ...take(others).flat()];
    const size = moveWrites(taken, context).length + records.length;
    if (size <= room || count <= 1) return { moves: taken, records, isCut };
  }
}

/** Takes the first `count` items of several lists, one list after the other. */
function taking(count: number) {
  let left = count;
  return <Item>(list: readonly Item[]): Item[] => {
    const taken = list.slice(0, left);
    left -= taken.length;
    return taken;
  };
}

/** The writes of the head and the order of a purchase. */
function headWrites(settlement: Settlement, now: Date, deps: SettleDeps): Write[] {
  const { book } = settlement;
  const head = headAfter(settlement, now);
  const order = book.order && orderAfter(book.order, head, settlement, now);
  const isChanged = !isDeepStrictEqual({ ...head, updatedAt: '' }, { ...book.stored, updatedAt: '' });
  return [
    ...(isChanged ? deps.spend.countedWrites({ ...head, updatedAt: now.toISOString() }) : []),
    ...(order === undefined || order === book.order ? [] : [orderWrite(book.order, order, deps)]),
  ];
}

function claimWrites(settlement: Settlement): Write[] {
  const { claims, order, statements } = settlement.book;
  const captured = statements.payments.reduce((sum, { capturedCents }) => sum + capturedCents, 0);
  return claims.flatMap((claim) => {
    const isOfPayment = claim.orderUuid !== undefined && claim.orderUuid !== order?.uuid;
    const paidCents = isOfPayment ? captured : 0;
    const set = settledClaim(claim, { isSettled: !isWaiting(settlement), paidCents });
    return set ? [claimChangeWrite(claim, set)] : [];
  });
}

/** Whether something is left to do: the moves were found before awards that were written one by one meanwhile. */
const isWaiting = ({ awarding, moves, isAwaiting, isCut }: Settlement) =>
  isAwaiting || isCut === true || awarding?.isWritten === true || moves === undefined || moves.waiting.length > 0;

/** The head as a settlement leaves it. */
function headAfter(settlement: Settlement, now: Date): Purchase {
  const { book, awarding, moves, isAwaiting } = settlement;
  const { statements, order, payments, transactions } = book;
  const { awaitsSince = now.toISOString(), ...before } = awarding?.purchase ?? book.purchase;
  const earned = transactions.filter(({ type, reverses }) => type === 'EARN' && !reverses);
  const further = (moves?.further ?? []).map(({ transaction }) => transaction);
  const transactionIds = [...before.transactionIds, ...[...earned, ...further].map(({ id }) => id)];
  const own = payments
    .filter(({ payment }) => !payment.book.orderExternalIds.includes(before.externalTransactionId))
    .map(({ payment }) => payment.uuid);
  const decidedCents = awarding?.decidedCents ?? before.decidedCents;
  const next: Purchase = {
    ...before,
    transactionIds: [...new Set(transactionIds)],
    paymentUuids: [...new Set([...before.paymentUuids, ...own])],
    netCents: moneyLeft(statements),
    stated: book.stated,
    isSettled: !isWaiting(settlement),
    ...(order && { orderUuid: order.uuid }),
    ...(decidedCents !== undefined && { decidedCents }),
    ...(moves && { forgone: moves.forgone }),
    ...(isAwaiting && { awaitsSince }),
  };
  return withMember(next, settlement);
}

/** Adds the member of a purchase that is decided. The stream adds the member of a token, and of an order. */
function withMember(head: Purchase, { book, awarding }: Settlement): Purchase {
  const { earner, payer, at, decidedCents } = awarding ?? {};
  if (!earner || typeof payer !== 'number' || at === undefined || decidedCents === undefined) return head;
  const { merchantId, externalTransactionId, programId } = head;
  const { order, statements } = book;
  const spent = {
    ...{ userId: earner.member.user.id, merchantId, externalTransactionId, programId, at },
    amountCents: moneyBought(statements),
    ...(order && { totalCents: order.totalCents }),
  };
  const { campaignIds } = head;
  return { ...withSpent(head, spent, earner.member.memberships), ...(campaignIds && { campaignIds }) };
}

function orderAfter(order: Order, head: Purchase, settlement: Settlement, now: Date): Order {
  const { awarding, isAwaiting } = settlement;
  const { transactionIds, programId } = head;
  const isNew = transactionIds.some((id) => !order.transactionIds.includes(id));
  const listed = isNew
    ? { ...order, transactionIds, ...(programId !== undefined && { programId }), updatedAt: now.toISOString() }
    : order;
  if (order.state === 'PENDING') {
    return isAwaiting ? listed : finalizeOrder(listed, awarding?.rejection ?? 'nothing_earned', now);
  }
  if (areRefundsApplied(order) || isWaiting(settlement)) return listed;
  return withRefundsApplied({ ...listed, updatedAt: now.toISOString() });
}

const orderWrite = (before: Order | undefined, after: Order, { nextUuid }: SettleDeps): Write =>
  before?.state === 'PENDING' && after.state !== 'PENDING'
    ? orderFinalWrite(after, nextUuid())
    : orderChangeWrite(after);

/**
 * Whether the customer of payments was linked while the payments were stored without a member, or without an account.
 * The link has missed the payments, so the decision has to be made again.
 */
async function isLinkedMeanwhile(
  { purchase, order, payments, claims }: Book,
  { payer, rejection, earner, at }: Awarding,
  deps: SettleDeps,
): Promise<boolean> {
  if (order || claims.length > 0 || payments.length === 0) return false;
  if (payer === 'no_member')
    return (
      (await findPayer(
        payments.map(({ payment }) => payment),
        deps,
      )) !== payer
    );
  if (typeof payer !== 'number' || !isClaimable(rejection)) return false;
  const member = await deps.members.find(payer);
  const seen = member && seenAt(member, purchase.merchantId, new Date(at));
  return accountsOf(seen) !== accountsOf(earner?.member);
}

const accountsOf = (
  member: { readonly memberships: readonly object[]; readonly associations: readonly object[] } | undefined,
) => `${member?.memberships.length} ${member?.associations.length}`;
