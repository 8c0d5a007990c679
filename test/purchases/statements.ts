import { reverseByOperator } from '../../shared/operations/ledger/manage-transactions.ts';
import { createOrder } from '../../shared/operations/order/create-order.ts';
import { refundOrder } from '../../shared/operations/order/refund-order.ts';
import { refundTransaction } from '../../shared/operations/order/refund-transaction.ts';
import { ingestPayment } from '../../shared/operations/payment/ingest-payment.ts';
import { authenticateTransaction } from '../../shared/operations/token/authenticate-transaction.ts';
import { createTransaction } from '../../shared/operations/token/create-transaction.ts';
import type { Item } from '../../shared/store/table/table-client.ts';
import type { Fact } from './facts.ts';
import { externalUserId, type Scene } from './scene.ts';

/** The statements about one purchase, each through the operation that receives it. */

/** The platform refused a statement that it has to accept. */
class RefusedError extends Error {}

export interface Statement {
  /**
   * Makes the statement.
   *
   * @param facts what the history has said before
   * @returns the fact that the platform accepted; undefined when it refused the statement, as it may
   */
  readonly play: (scene: Scene, facts: readonly Fact[]) => Promise<Fact | undefined>;
}

/** The merchant's id of the purchase. */
const purchase = 'P';
const order = { total: 10_807, subtotal: 10_300, discount: 297 };
const token = 9_731;
const paid = 2_000;

/** Payments A, B and G name the order at once, payment C names it late or never. G names no customer. */
const captureOf = {
  a: { payment: 'A', id: 'A', cents: 6_011, eligible: 5_509, order: true, guest: false },
  b: { payment: 'B', id: 'B', cents: 4_796, eligible: 4_494, order: true, guest: false },
  guest: { payment: 'G', id: 'G', cents: 3_333, eligible: 3_111, order: true, guest: true },
  first: { payment: 'C', id: 'C-1', cents: 6_033, eligible: 6_033, order: false, guest: false },
  second: { payment: 'C', id: 'C-2', cents: 3_967, eligible: 3_967, order: false, guest: false },
} as const;

const half = (cents: number) => Math.floor(cents / 2);

/** A refund that the merchant and the payment platform report under the same id. */
const sharedRefundId = 'refund-1';
const ofA = (id: string, cents: number) => ({ payment: 'A', id, cents });
const halfOfA = ofA(sharedRefundId, half(captureOf.a.cents));

export const statements = {
  token: { play: spendToken },
  order: { play: reportOrder },
  'payment A': { play: capture(captureOf.a) },
  'payment B': { play: capture(captureOf.b) },
  'payment of a guest': { play: capture(captureOf.guest) },
  'capture 1': { play: capture(captureOf.first) },
  'capture 2': { play: capture(captureOf.second) },
  'order id late': { play: nameOrder },
  "platform's order": { play: stateOrder },
  "merchant's refund half": { play: refundByMerchant(sharedRefundId, half) },
  "merchant's refund full": { play: refundByMerchant('refund-2', (cents) => cents) },
  'transaction refund half': { play: refundTransactionBy('refund-3', half) },
  'transaction refund full': { play: refundTransactionBy('refund-4', (cents) => cents) },
  "platform's refund half": { play: back('refund', 'refund.completed', halfOfA) },
  "platform's refund full": { play: back('refund', 'refund.completed', ofA('refund-5', captureOf.a.cents)) },
  'running total of refunds': { play: runningTotal },
  'failed refund': { play: back('failed refund', 'refund.failed', halfOfA) },
  'refund of C': { play: back('refund', 'refund.completed', { payment: 'C', id: 'refund-6', cents: 2_500 }) },
  dispute: { play: back('dispute', 'dispute.funds_withdrawn', ofA('dispute-1', captureOf.a.cents)) },
  won: { play: back('won', 'dispute.won', ofA('dispute-1', captureOf.a.cents)) },
  'points that paid': { play: payWithPoints },
  'refund of the redemption': { play: refundRedemption },
  "operator's reversal": { play: reverse },
} as const satisfies Record<string, Statement>;

export type StatementName = keyof typeof statements;

const isSaid = (facts: readonly Fact[], ...kinds: readonly Fact['kind'][]) =>
  facts.some(({ kind }) => kinds.includes(kind));

/** Whether something else than a token may have rewarded the purchase. */
const isReported = (facts: readonly Fact[]) => isSaid(facts, 'token', 'order', 'capture');

async function spend(
  { platform, userId, merchantId }: Scene,
  campaignId: number,
  amountCents: number,
): Promise<boolean> {
  const request = {
    userId,
    merchantId,
    campaignId,
    partnerId: undefined,
    externalTransactionId: purchase,
    amountCents,
  };
  const { status, authenticationId } = await authenticateTransaction(request, platform);
  if (status !== 'AUTHENTICATED') return false;
  await createTransaction({ token: authenticationId, userId, merchantId }, platform);
  return true;
}

async function spendToken(scene: Scene, facts: readonly Fact[]): Promise<Fact | undefined> {
  if (await spend(scene, scene.earnId, token)) return { kind: 'token', cents: token };
  return refusedUnless(isReported(facts), 'the token');
}

async function payWithPoints(scene: Scene, facts: readonly Fact[]): Promise<Fact | undefined> {
  if (await spend(scene, scene.redeemId, paid)) return { kind: 'paid', cents: paid };
  return refusedUnless(isSaid(facts, 'paid'), 'the token that pays');
}

function refusedUnless(isExpected: boolean, what: string): undefined {
  if (!isExpected) throw new RefusedError(`${what} was refused`);
  return undefined;
}

/** Makes a statement that the platform may refuse with one of these errors. */
async function unless<Result>(names: readonly string[], work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && names.includes(error.name)) return undefined;
    throw error;
  }
}

function reportOrder({ platform, merchantId, userId }: Scene, facts: readonly Fact[]): Promise<Fact | undefined> {
  const { total: totalCents, subtotal: subtotalCents, discount: discountCents } = order;
  return unless(isSaid(facts, 'order') ? ['OrderExistsError'] : [], async () => {
    await createOrder(
      {
        ...{ merchantId, externalOrderId: purchase, totalCents, subtotalCents, discountCents, paymentId: null },
        ...{ lineItems: [], user: { id: userId, linkId: undefined, merchantExternalId: undefined } },
      },
      platform,
    );
    return { kind: 'order', total: totalCents, eligible: subtotalCents - discountCents };
  });
}

/** Delivers an event of the canonical source. */
async function tell({ platform, merchantId, steps }: Scene, type: string, detail: object): Promise<void> {
  const time = steps.sources.now().toISOString();
  const event = {
    ...{ version: '0', id: `envelope-${time}`, source: 'rewards.payments', 'detail-type': type, time },
    detail: { merchant_id: merchantId, event_id: `event-${time}`, occurred_at: time, ...detail },
  };
  const deadLetters = { add: (_: string, reason: string) => Promise.reject(new Error(reason)) };
  await ingestPayment(JSON.stringify(event), { ...platform, deadLetters });
}

function capture(made: (typeof captureOf)[keyof typeof captureOf]): Statement['play'] {
  const { payment, id, cents, eligible, order: isNamed, guest: isGuest } = made;
  return async (scene) => {
    await tell(scene, 'payment.completed', {
      ...{ payment_id: payment, amount: cents, eligible_amount: eligible, currency: 'USD' },
      ...(id !== payment && { capture_id: id }),
      ...(isNamed && { order_id: purchase }),
      ...(!isGuest && { customer: { external_id: externalUserId } }),
    });
    return { kind: 'capture', ...made };
  };
}

async function nameOrder(scene: Scene): Promise<Fact> {
  await tell(scene, 'payment.updated', {
    ...{ payment_id: 'C', order_id: purchase },
    customer: { external_id: externalUserId },
  });
  return { kind: 'named', payment: 'C' };
}

async function stateOrder(scene: Scene): Promise<Fact> {
  const { total, subtotal, discount } = order;
  await tell(scene, 'order.completed', {
    ...{ payment_id: 'A', order_id: purchase, currency: 'USD' },
    ...{ total_amount: total, subtotal_amount: subtotal, discount_amount: discount },
  });
  return { kind: 'platform order', payment: 'A', total, eligible: subtotal - discount };
}

/** Money of a payment comes back, or is away. */
function back(
  kind: 'refund' | 'failed refund' | 'dispute' | 'won',
  type: string,
  { payment, id, cents }: { readonly payment: string; readonly id: string; readonly cents: number },
): Statement['play'] {
  return async (scene) => {
    const named = type.startsWith('refund') ? { refund_id: id } : { dispute_id: id };
    await tell(scene, type, { payment_id: payment, ...named, amount: cents, currency: 'USD' });
    return { kind, payment, id, cents };
  };
}

async function runningTotal(scene: Scene): Promise<Fact> {
  const { payment, cents } = halfOfA;
  await tell(scene, 'refund.completed', { payment_id: payment, refunded_total: cents, currency: 'USD' });
  return { kind: 'refunded', payment, cents };
}

function refundByMerchant(externalRefundId: string, partOf: (cents: number) => number): Statement['play'] {
  return async ({ platform, merchantId }, facts) => {
    const found = await platform.orders.findByExternalId({ merchantId, externalOrderId: purchase });
    if (!found) return refusedUnless(!isSaid(facts, 'order'), 'the refund');
    const amountCents = partOf(order.total);
    return unless(['RefundExceedsTotalError'], async () => {
      await refundOrder({ merchantId, orderUuid: found.uuid, externalRefundId, amountCents }, platform);
      return { kind: 'merchant refund', id: externalRefundId, cents: amountCents, of: 'order' };
    });
  };
}

/** Refunds the transaction of the token; without a token, the transaction of the only payment. */
function refundTransactionBy(id: string, partOf: (cents: number) => number): Statement['play'] {
  return async (scene, facts) => {
    const [payment, ...others] = new Set(facts.flatMap((one) => (one.kind === 'capture' ? [one.payment] : [])));
    if (isSaid(facts, 'token')) {
      const cents = partOf(token);
      return refundFirst(scene, 'EARN', { kind: 'merchant refund', id, cents, of: 'token' });
    }
    if (payment === undefined || others.length > 0) return undefined;
    const captures = Object.values(captureOf).filter((one) => one.payment === payment);
    const cents = partOf(captures.reduce((sum, one) => sum + one.cents, 0));
    return refundFirst(scene, 'EARN', { kind: 'merchant refund', id, cents, payment });
  };
}

/** Refunds the first transaction of a type, unless there is none. */
async function refundFirst(
  scene: Scene,
  type: 'EARN' | 'REDEEM',
  fact: Fact & { readonly id: string; readonly cents: number },
): Promise<Fact | undefined> {
  const [first] = transactionsOf(scene, type);
  if (!first) return undefined;
  const request = { merchantId: scene.merchantId, transactionId: first.id };
  return unless(['RefundExceedsTotalError', 'TransactionNotRefundableError'], async () => {
    await refundTransaction({ ...request, externalRefundId: fact.id, amountCents: fact.cents }, scene.platform);
    return fact;
  });
}

function refundRedemption(scene: Scene): Promise<Fact | undefined> {
  return refundFirst(scene, 'REDEEM', { kind: 'redemption refund', id: 'refund-7', cents: half(paid) });
}

/** Reverses the first transaction that earned. */
async function reverse(scene: Scene): Promise<Fact | undefined> {
  const [first] = transactionsOf(scene, 'EARN');
  if (!first) return undefined;
  const { id, points, cashback, isOfOrder } = first;
  return unless(['NotReversibleError'], async () => {
    await reverseByOperator({ id, reason: 'a complaint' }, scene.platform);
    return { kind: 'reversal', points, cashback, ...(!isOfOrder && { payment: 'C' }) };
  });
}

interface Done {
  readonly id: string;
  readonly points: number;
  readonly cashback: number;
  /** Whether the transaction belongs to the order, and not to a payment that names none. */
  readonly isOfOrder: boolean;
}

/** The completed transactions of a type, the oldest first. The points and the cashback of an award are two of them. */
function transactionsOf({ table }: Scene, type: 'EARN' | 'REDEEM'): Done[] {
  return table
    .items()
    .filter((item) => item.pk.startsWith('TRANSACTION#') && item.type === type && item.reverses === undefined)
    .filter((item) => item.state === 'COMPLETED' || item.state === 'REVERSED')
    .sort((one, other) => Number(one.id) - Number(other.id))
    .map(toDone);
}

const toDone = (item: Item): Done => ({
  id: String(item.id),
  points: Number(item.points),
  cashback: Number(item.cashbackCents),
  isOfOrder: item.externalTransactionId === purchase,
});
