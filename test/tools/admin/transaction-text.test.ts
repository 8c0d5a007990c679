import { expect, it } from 'vitest';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { rewardsTable, transactionFacts } from '../../../tools/admin/views/transaction.ts';
import { aTransaction } from '../../domain/fixtures.ts';

const names = {
  merchant: 'Corner Coffee',
  partner: 'Skyline Miles',
  campaign: undefined,
  timeZone: 'UTC',
  isPaidWithPoints: false,
};
const reverses = { id: 7, uuid: 'it', refundUuid: 'a refund' };
const ofOrder = { externalTransactionId: 'order-1', amountCents: 100, reverses };
const byOperator = { reversalReason: 'Farmed', reversalOperator: 'ada@desk' };

it.each<[string, Partial<RewardTransaction>, RegExp]>([
  ['a purchase', { externalTransactionId: 'order-1', amountCents: 4_250 }, /^claim +order-1, \$42\.50 at Corner/m],
  ['an event', { triggerEvent: { id: 1, uuid: 'an-event', customTriggerId: 9 } }, /^event +an-event of trigger 9, at/m],
  ['a registration', { isRegistration: true }, /^event +an account was linked, at Corner Coffee$/m],
  ['a referral', { externalTransactionId: null }, /^event +an account was linked, at Corner Coffee$/m],
  ['a transfer', { externalTransactionId: 'move-1', otherLegId: 8 }, /^transfer +move-1, with transaction 8$/m],
  ['a refund', ofOrder, /^effect +is to reverse 1 point$[\s\S]*^refund of +order-1, \$1\.00 at Corner Coffee$/m],
  [
    'a refund that failed',
    { ...ofOrder, isRestoration: true },
    /^refund taken back +order-1, \$1\.00 at Corner Coffee$/m,
  ],
  [
    'an operator’s reversal',
    { ...ofOrder, ...byOperator, amountCents: 0 },
    /^reversal of +transaction 7, of order-1 at Corner Coffee\nby +ada@desk\nreason +Farmed$/m,
  ],
  ['a refused reward', { state: 'FAILED' }, /^effect +nothing; it was to earn 1 point$/m],
])('transactionFacts() describes the transaction of %s', (_, more, expected) => {
  expect(transactionFacts(aTransaction({ points: 1, ...more }), names)).toMatch(expected);
});

it('rewardsTable() shows what each reward did, and that a refused or cancelled reward did nothing', () => {
  const text = rewardsTable([
    aTransaction({ points: 12, state: 'COMPLETED' }),
    aTransaction({ points: 30, state: 'FAILED', failureReason: 'the account is closed' }),
    aTransaction({ points: 7, type: 'REDEEM', state: 'CANCELLED' }),
    aTransaction({ points: 8, state: 'PENDING' }),
    aTransaction({ points: 0, cashbackCents: 250, state: 'COMPLETED' }),
  ]);
  const cells = text.split('\n').map((line) => line.split(/ {2,}/).slice(-2));

  expect(cells.filter((_, line) => line !== 1)).toEqual([
    ['effect', 'state'],
    ['earned 12 points', 'COMPLETED'],
    ['nothing; it was to earn 30 points', 'FAILED (the account is closed)'],
    ['nothing; it was to redeem 7 points', 'CANCELLED'],
    ['is to earn 8 points', 'PENDING'],
    ['earned $2.50 of cashback', 'COMPLETED'],
  ]);
});

it('transactionFacts() names the purchase that a member paid with points', () => {
  const text = transactionFacts(aTransaction(ofOrder), { ...names, isPaidWithPoints: true });
  expect(text).toMatch(/^paid with points +order-1, \$1\.00 at Corner Coffee$/m);
  expect(text).not.toContain('refund');
});
