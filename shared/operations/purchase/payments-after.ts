import { isDeepStrictEqual } from 'node:util';
import { isEarning } from '../../domain/award/claim.ts';
import { countingTime, isClaimable, type Payment, type PaymentReason } from '../../domain/payment/payment.ts';
import { paymentPosition } from '../../domain/payment/payment-position.ts';
import type { Purchase } from '../../domain/purchase/purchase.ts';
import { goneOf, without } from '../../domain/purchase/settle.ts';
import type { UnclaimedReference } from '../../store/payment/payment-customers.ts';
import type { OperationDeps } from '../operation.ts';
import { paymentModeOf } from '../payment/ingest-payment.ts';
import type { Awarding } from './award-purchase.ts';
import { externalReferencesOf, referencesOf } from './find-payer.ts';
import type { Book } from './load-book.ts';

/** A payment as a settlement leaves it, and the references by which a later link finds it. */
interface SettledPayment {
  readonly payment: Payment;
  readonly isChanged: boolean;
  readonly references: readonly UnclaimedReference[];
}

/** What a settlement did. */
interface Settlement {
  readonly head: Purchase;
  readonly awarding?: Awarding | undefined;
}

/**
 * The payments that a settlement writes: what they have earned, or why they have earned nothing.
 *
 * @returns the changed ones first. Of the others, the references of some are enough: a link that finds one of them
 * settles the whole purchase
 */
export function paymentsAfter(book: Book, settlement: Settlement, deps: OperationDeps): SettledPayment[] {
  const found = book.payments.map(({ payment, reason }) => {
    const after = paymentAfter(payment, reason, { book, settlement }, deps);
    const isChanged = !isDeepStrictEqual({ ...after, updatedAt: '' }, { ...payment, updatedAt: '' });
    return { isChanged, payment: after, references: referencesFor(after, settlement.awarding) };
  });
  return [
    ...found.filter(({ isChanged }) => isChanged),
    ...found.filter(({ isChanged, references }) => !isChanged && references.length > 0),
  ];
}

function paymentAfter(
  payment: Payment,
  excluded: PaymentReason | undefined,
  { book, settlement }: { readonly book: Book; readonly settlement: Settlement },
  { config, now }: OperationDeps,
): Payment {
  const { head, awarding } = settlement;
  const { reason: _reason, ...same } = payment;
  const { eligibleAmount } = paymentPosition(payment.book);
  const { externalTransactionId, transactionIds, programId } = head;
  const isAwarded = transactionIds.length > 0;
  const reason = excluded ?? (isAwarded ? undefined : reasonOf(payment, book, awarding));
  const netCents = without(eligibleAmount, goneOf(book.statements));
  // A decision is kept: later refunds may hide its reason, and come back.
  const rejection = isAwarded ? undefined : awarding?.rejection;
  const common = {
    ...same,
    ...(reason !== undefined && { reason }),
    ...(rejection !== undefined && { rejection }),
    updatedAt: now().toISOString(),
  };
  const userId = payment.userId ?? book.claims.find(isEarning)?.userId ?? userOf(awarding);
  // The payment counts for a member only if the decision of its purchase is final. Otherwise a later link may give the
  // purchase to another member. The payment's own reason may be another one: nothing of it was captured.
  const isFinal = isAwarded || (awarding !== undefined && !isClaimable(refusalOf(awarding)));
  if (userId === undefined || isClaimable(reason) || excluded !== undefined || !isFinal) return common;
  return {
    ...common,
    ...{ userId, netCents, transactionIds },
    countsAt: payment.countsAt ?? countingTime(payment, paymentModeOf(config.stage)),
    spent: { externalTransactionId, amountCents: eligibleAmount },
    awards: isAwarded ? [{ externalTransactionId, eligibleCents: eligibleAmount }] : [],
    ...(programId !== undefined && { programId }),
  };
}

const userOf = (awarding: Awarding | undefined): number | undefined =>
  typeof awarding?.payer === 'number' ? awarding.payer : undefined;

/** Why a decision awarded nothing: there is no payer, or no campaign rewards the purchase. */
const refusalOf = ({ payer, rejection }: Awarding): PaymentReason | undefined =>
  typeof payer === 'string' ? payer : rejection;

/** Why a payment of a purchase without awards has earned nothing; undefined while that is not decided. */
function reasonOf(
  { book: known, reason, rejection }: Payment,
  { order, payments, statements }: Book,
  awarding: Awarding | undefined,
): PaymentReason | undefined {
  const { capturedAmount, netEligibleAmount } = paymentPosition(known);
  if (capturedAmount === 0) return 'not_captured';
  if (awarding) return refusalOf(awarding) ?? 'nothing_earned';
  if (statements.claims.length === 0 && order === undefined && netEligibleAmount === 0) return 'nothing_left';
  // The decision about another payment of the purchase counts for this one.
  const decided = payments.map(({ payment }) => payment.rejection).find((one) => one !== undefined);
  const isPast = reason === 'not_captured' || reason === 'nothing_left';
  return rejection ?? decided ?? order?.rejection ?? (isPast ? undefined : reason) ?? 'nothing_earned';
}

/**
 * The references of a payment whose reason a later link may change. They are written after every decision: the link that
 * announced the payment has removed its reference.
 */
function referencesFor(payment: Payment, awarding: Awarding | undefined): UnclaimedReference[] {
  if (!awarding || !isClaimable(payment.reason)) return [];
  const userId = userOf(awarding);
  if (userId === undefined) return payment.reason === 'no_member' ? referencesOf(payment) : [];
  // A later link finds the payment by the member, and by the ids that the merchant uses for the customer: a customer
  // without an account may be linked to another member later.
  return [{ kind: 'user', userId }, ...externalReferencesOf(payment)];
}
