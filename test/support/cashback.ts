import type { LedgerEntry } from '../../shared/domain/ledger/ledger-entry.ts';
import { ledgerWrite } from '../../shared/store/ledger/ledger.ts';
import { membershipKey } from '../../shared/store/member/members.ts';
import type { Shopper } from './shoppers.ts';
import type { World } from './world.ts';

/**
 * Awards cashback or subtracts it, even below zero. Changes the account and adds the ledger entry in one DynamoDB
 * transaction, as the platform does.
 */
export async function awardCashback(
  { platform, demo }: World,
  { id: userId }: Pick<Shopper, 'id'>,
  cents: number,
  partnershipUuid = demo.partnership.uuid,
): Promise<void> {
  const partnerId = demo.partner.id;
  const { id: transactionId, uuid: transactionUuid } = platform.nextIds();
  const entry: LedgerEntry = {
    ...{ userId, partnerId, transactionId, transactionUuid, points: 0, cashbackCents: cents },
    campaign: { id: 1, partnershipUuid },
    kind: cents > 0 ? 'EARN' : 'EARN_REVERSAL',
    createdAt: platform.now().toISOString(),
  };
  await platform.table.transact([
    {
      kind: 'update',
      key: membershipKey(userId, partnerId),
      changes: { add: { cashbackCents: cents } },
      when: cents < 0 ? [{ attribute: 'cashbackCents', is: '>=', value: 0 - cents }] : [],
    },
    ledgerWrite(entry),
  ]);
}
