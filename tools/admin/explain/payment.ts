import { type Payment, paymentReasons } from '../../../shared/domain/payment/payment.ts';
import { type PaymentPosition, paymentFaults } from '../../../shared/domain/payment/payment-position.ts';
import { localMoment } from '../cli/moments.ts';

type Refund = Payment['book']['refunds'][string];
type Dispute = Payment['book']['disputes'][string];

/**
 * Explains a payment line by line: its amounts, each refund and dispute, and the reason why it earned a reward or not.
 *
 * @param timeZone the time zone of the partnership, if the payment belongs to one
 */
export function paymentLines(payment: Payment, position: PaymentPosition, timeZone = 'UTC'): string[] {
  const { reason, awards, countsAt, platform, account, book, netCents } = payment;
  // The merchant reports refunds of the same money, so the larger share applies.
  const hasMoreRefunds = awards.length > 0 && netCents < position.netEligibleAmount;
  const amount = (minorUnits: number) => amountText(minorUnits, position);
  const returned =
    `Refunded: ${amount(position.refundedAmount)}. Disputed: ${amount(position.disputedAmount)}. ` +
    `Left to earn on: ${amount(position.netEligibleAmount)}.`;
  return [
    `Reported by the ${platform} account ${account}.`,
    ...(position.capturedAmount > 0
      ? [
          `Captured: ${amount(position.capturedAmount)}. ${amount(position.eligibleAmount)} of it may earn, by the ${position.basis}.`,
          returned,
        ]
      : []),
    ...Object.entries(book.refunds).map(
      ([id, { stage, money }]) => `Refund ${id} of ${amountText(money.amount, money)} ${refundStages[stage]}.`,
    ),
    ...Object.entries(book.disputes).map(
      ([id, { stage, money }]) => `Dispute ${id} of ${amountText(money.amount, money)} ${disputeStages[stage]}.`,
    ),
    ...(hasMoreRefunds
      ? [`The merchant reported more refunds than ${platform}: ${amount(netCents)} is left to earn on.`]
      : []),
    ...(reason ? [paymentReasons[reason]] : []),
    ...(awards.length > 0 && countsAt ? [`Campaigns were evaluated for ${localMoment(countsAt, timeZone)}.`] : []),
    ...position.faults.map((fault) => paymentFaults[fault]),
  ];
}

const refundStages: Readonly<Record<Refund['stage'], string>> = {
  pending: 'is not paid out yet, and does not count',
  completed: 'was paid out',
  failed: 'failed, and does not count',
};

const disputeStages: Readonly<Record<Dispute['stage'], string>> = {
  inquiry: 'is an inquiry, which changes nothing',
  opened: 'was opened; the bank has taken no money yet',
  funds_withdrawn: 'took the money from the merchant: it counts like a refund',
  reinstated: 'gave the money back to the merchant, and counts no longer',
  won: 'was won by the merchant, and does not count',
  lost: 'was lost by the merchant: it counts like a refund',
};

/** `12.34 USD`, by the exponent of the currency. */
function amountText(amount: number, { currency = '', exponent = 0 }: Pick<PaymentPosition, 'currency' | 'exponent'>) {
  return `${(amount / 10 ** exponent).toFixed(exponent)} ${currency}`;
}
