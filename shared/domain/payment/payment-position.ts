import { type Money, shareOf } from './money.ts';
import type { CompletedCapture, PaymentBook } from './payment-book.ts';
import { type DisputeStage, eligibleBases } from './payment-event.ts';

/** The contradictions in the data of a payment, in words for an operator. */
export const paymentFaults = {
  too_many_entries: 'The payment has more captures, refunds and disputes than a book holds: nothing is earned on it.',
  captured_in_two_currencies: 'The captures are in two currencies: nothing is earned on the payment.',
  order_in_another_currency: 'The order is in another currency than the payment: it is left out.',
  refunded_in_another_currency: 'A refund is in another currency than the payment: it is left out.',
  disputed_in_another_currency: 'A dispute is in another currency than the payment: it counts as the whole payment.',
  returned_more_than_captured: 'More was refunded and disputed than was captured: the captured amount is the most.',
} as const;
type PaymentFault = keyof typeof paymentFaults;

/** The amounts that follow from a payment book. All are minor units of the payment's currency. */
export interface PaymentPosition {
  /** Undefined until a capture is known: refunds and disputes wait for a capture. */
  readonly currency: string | undefined;
  readonly exponent: number | undefined;
  readonly capturedAmount: number;
  readonly refundedAmount: number;
  readonly disputedAmount: number;
  /** The part of the captured amount that may earn. */
  readonly eligibleAmount: number;
  readonly basis: (typeof eligibleBases)[number] | undefined;
  /** The part of the eligible amount that is left after refunds and disputes. */
  readonly netEligibleAmount: number;
  readonly faults: readonly PaymentFault[];
}

/**
 * Computes the position of a payment. The amount that still earns is: eligible × (captured − refunded − disputed) ÷
 * captured, rounded down to the minor unit. Refunds and disputes together never count for more than was captured.
 */
export function paymentPosition(book: PaymentBook): PaymentPosition {
  const captured = capturedOf(book);
  if (typeof captured === 'string') return withoutMoney([captured]);
  if (!captured) return withoutMoney([]);

  const { amount: capturedAmount, currency, exponent } = captured.money;
  const order = book.order?.total.currency === currency ? book.order : undefined;
  const returned = returnedOf(book, captured);
  const returnedAmount = returned.refundedAmount + returned.disputedAmount;
  // An order may be captured in parts. A capture may contain more than the order, such as a later tip.
  const [eligible, total] = order
    ? [order.eligible, Math.max(order.total.amount, capturedAmount)]
    : [captured.eligible, capturedAmount];
  return {
    currency,
    exponent,
    capturedAmount,
    refundedAmount: returned.refundedAmount,
    disputedAmount: returned.disputedAmount,
    eligibleAmount: shareOf(eligible, capturedAmount, total),
    basis: order ? 'subtotal' : captured.basis,
    netEligibleAmount: shareOf(eligible, Math.max(0, capturedAmount - returnedAmount), total),
    faults: [
      ...(book.order && !order ? ['order_in_another_currency' as const] : []),
      ...returned.faults,
      ...(returnedAmount > capturedAmount ? ['returned_more_than_captured' as const] : []),
    ],
  };
}

/** What was reported of captures that failed afterwards, in minor units of the payment's currency. */
export function failedAmount({ captures }: Pick<PaymentBook, 'captures'>): number {
  return Object.values(captures).reduce(
    (sum, entry) => (entry.status === 'failed' ? sum + (entry.reported?.money.amount ?? 0) : sum),
    0,
  );
}

function withoutMoney(faults: readonly PaymentFault[]): PaymentPosition {
  const nothing = { capturedAmount: 0, refundedAmount: 0, disputedAmount: 0, eligibleAmount: 0, netEligibleAmount: 0 };
  return { currency: undefined, exponent: undefined, basis: undefined, ...nothing, faults };
}

/** The captured money, in one currency. */
type Captured = Pick<CompletedCapture, 'money' | 'eligible' | 'basis' | 'presented'>;

/** Compares two amounts: the sum of the parts, and the highest of the totals. The higher amount counts. */
function capturedOf(book: PaymentBook): Captured | PaymentFault | undefined {
  if (book.isOverfull) return 'too_many_entries';
  const counted = countedCaptures(book);
  const currencies = new Set(counted.map(({ money }) => money.currency));
  if (currencies.size > 1) return 'captured_in_two_currencies';
  const totals = counted.filter(({ extent }) => extent !== 'part');
  const [highest] = [...totals, ...sumOfParts(counted.filter(({ extent }) => extent === 'part'))].sort(
    byAmountAndBasis,
  );
  return highest;
}

/** An assumed capture counts only while the platform has reported nothing else, not even a failure. */
function countedCaptures({ captures }: PaymentBook): CompletedCapture[] {
  const all = Object.values(captures);
  const completed = all.filter((capture) => capture.status === 'completed');
  const reported = completed.filter(({ extent }) => extent !== 'assumed');
  const hasFailed = completed.length < all.length;
  return reported.length > 0 || hasFailed ? reported : completed;
}

function sumOfParts(parts: readonly Captured[]): Captured[] {
  if (parts.length < 2) return [...parts];
  const [first, ...more] = parts;
  return first ? [more.reduce(addPart, first)] : [];
}

function addPart(sum: Captured, part: Captured): Captured {
  const { presented } = sum;
  const isPresentedAlike = presented !== undefined && presented.currency === part.presented?.currency;
  return {
    money: { ...sum.money, amount: sum.money.amount + part.money.amount },
    eligible: sum.eligible + part.eligible,
    basis: eligibleBases.indexOf(part.basis) < eligibleBases.indexOf(sum.basis) ? part.basis : sum.basis,
    presented: isPresentedAlike
      ? { ...presented, amount: presented.amount + (part.presented?.amount ?? 0) }
      : undefined,
  };
}

/** Sorts the highest amount first. Among equal amounts, the most exact eligible amount comes first. */
function byAmountAndBasis(one: Captured, other: Captured): number {
  return (
    other.money.amount - one.money.amount ||
    eligibleBases.indexOf(other.basis) - eligibleBases.indexOf(one.basis) ||
    one.eligible - other.eligible
  );
}

/** The money that refunds and disputes returned, in the currency of the payment. */
function returnedOf(
  book: PaymentBook,
  { money, presented }: Captured,
): Pick<PaymentPosition, 'refundedAmount' | 'disputedAmount' | 'faults'> {
  /**
   * Sums amounts in the currency of the payment. An amount in the currency that the customer saw is converted by its
   * share: half of the presented amount is half of the captured amount.
   */
  const inPaymentCurrency = (amountIn: (currency: string) => number) =>
    amountIn(money.currency) +
    (presented && presented.currency !== money.currency
      ? shareOf(amountIn(presented.currency), money.amount, presented.amount)
      : 0);
  const isForeign = (currency: string) => currency !== money.currency && currency !== presented?.currency;

  const taken = Object.values(book.disputes).filter(({ stage }) => takingStages.includes(stage));
  const isWhollyDisputed = taken.some((dispute) => isForeign(dispute.money.currency));
  const disputedIn = (currency: string) => sumIn(currency, taken);
  return {
    refundedAmount: inPaymentCurrency((currency) => refundedIn(book, currency)),
    disputedAmount: isWhollyDisputed ? money.amount : inPaymentCurrency(disputedIn),
    faults: [
      ...(refundCurrencies(book).some(isForeign) ? ['refunded_in_another_currency' as const] : []),
      ...(isWhollyDisputed ? ['disputed_in_another_currency' as const] : []),
    ],
  };
}

/** The stages of a dispute in which the merchant does not have the money. An opened dispute has moved no money yet. */
const takingStages: readonly DisputeStage[] = ['funds_withdrawn', 'lost'];

/**
 * The refunded amount is the higher of two amounts:
 * - the sum of the completed refunds;
 * - the highest running total minus the failed refunds, because a running total may contain failed refunds.
 *
 * Totals are never added, and an older total never lowers a newer total.
 */
function refundedIn({ refunds, refundedTotals }: PaymentBook, currency: string): number {
  const { completed = [], failed = [] } = Object.groupBy(Object.values(refunds), ({ stage }) => stage);
  const total = new Map(Object.entries(refundedTotals)).get(currency) ?? 0;
  return Math.max(sumIn(currency, completed), total - sumIn(currency, failed));
}

function refundCurrencies({ refunds, refundedTotals }: PaymentBook): string[] {
  const completed = Object.values(refunds).filter(({ stage }) => stage === 'completed');
  return [...completed.map(({ money }) => money.currency), ...Object.keys(refundedTotals)];
}

function sumIn(currency: string, entries: readonly { readonly money: Money }[]): number {
  return entries.filter(({ money }) => money.currency === currency).reduce((sum, { money }) => sum + money.amount, 0);
}
