import { expect, it } from 'vitest';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { transactionFacts } from '../../../tools/admin/views/transaction.ts';
import { aTransaction } from '../../domain/fixtures.ts';

const names = { merchant: 'Corner Coffee', partner: 'Skyline Miles', campaign: undefined, timeZone: 'UTC' };

it.each<[string, Partial<RewardTransaction>, RegExp]>([
  ['a purchase', { externalTransactionId: 'order-1', amountCents: 4_250 }, /^claim +order-1, \$42\.50 at Corner/m],
  ['an event', { triggerEvent: { id: 1, uuid: 'an-event', customTriggerId: 9 } }, /^event +an-event of trigger 9, at/m],
  ['a registration', { isRegistration: true }, /^event +an account was linked, at Corner Coffee$/m],
  ['a referral', { externalTransactionId: null }, /^event +an account was linked, at Corner Coffee$/m],
  ['a transfer', { externalTransactionId: 'move-1', otherLegId: 8 }, /^transfer +move-1, with transaction 8$/m],
  [
    'a refund',
    { externalTransactionId: 'order-1', amountCents: 100, reverses: { id: 7, uuid: 'it', refundUuid: 'a refund' } },
    /^effect +reverses 1 point$[\s\S]*^refund of +order-1, \$1\.00 at Corner Coffee$/m,
  ],
])('transactionFacts() describes a transaction that was given for %s', (_, more, expected) => {
  expect(transactionFacts(aTransaction({ points: 1, ...more }), names)).toMatch(expected);
});
