import { describe, expect, it } from 'vitest';
import { AwardClaim, type Reservation, reserve } from '../../shared/domain/award/claim.ts';
import type { AuthenticationRequest } from '../../shared/domain/award/decide-awards.ts';
import { RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import { aCampaign, aFlow, aRequest, aUser, decided, earning, noon, redeeming } from './fixtures.ts';

function reserved(request: AuthenticationRequest): Reservation {
  const authentication = decided(request);
  if ('refused' in authentication) throw new Error(authentication.refused);
  let last = 100;
  return reserve(request, authentication, 'rwa_local_A', () => {
    last += 1;
    return { id: last, uuid: `uuid-${last}` };
  });
}

describe('a reservation', () => {
  it('has one transaction for every action worth at least one point', () => {
    const flows = [
      aFlow([earning(10_000, 1), earning(0, 2)], [], 1),
      aFlow([redeeming(20_000, 3), redeeming(50_000, 4)], [], 2),
    ];

    const { transactions, claim } = reserved(aRequest({ campaigns: [aCampaign({ flows })] }));

    expect(transactions.map(({ flowId, actionId, type, points }) => [flowId, actionId, type, points])).toEqual([
      [1, 1, 'EARN', 100],
      [2, 3, 'REDEEM', 5_000],
      [2, 4, 'REDEEM', 2_000],
    ]);
    expect(claim.heldPoints).toBe(7_000);
    expect(claim.rewards).toMatchObject(transactions.map(({ id, uuid, type, points }) => ({ id, uuid, type, points })));
  });

  it('stores the decision only with its first transaction', () => {
    const flows = [aFlow([earning(10_000, 1), earning(20_000, 2)])];

    const { transactions } = reserved(aRequest({ campaigns: [aCampaign({ flows })] }));

    expect(transactions.map(({ id, uuid, snapshotId }) => [id, uuid, snapshotId])).toEqual([
      [101, 'uuid-101', 101],
      [102, 'uuid-102', 101],
    ]);
  });

  it('contains the member, the order and the version of the campaign', () => {
    const { transactions, claim, decision } = reserved(aRequest({ campaigns: [aCampaign({ version: 3 })] }));

    const [transaction] = transactions;
    expect(transaction).toMatchObject({
      state: 'INITIATED',
      merchantId: 1,
      partnerId: 2,
      campaignId: 5,
      campaignVersion: 3,
      userId: 10,
      userUuid: aUser().uuid,
      amountCents: 10_000,
      externalTransactionId: 'A-1',
    });
    expect(decision).toMatchObject({ campaignId: 5, campaignVersion: 3 });
    expect(RewardTransaction.parse(transaction)).toEqual(transaction);
    expect(AwardClaim.parse(claim)).toEqual(claim);
  });

  it('is valid for ten minutes', () => {
    const { claim } = reserved(aRequest());

    expect(claim).toMatchObject({
      state: 'ISSUED',
      issuedAt: noon.toISOString(),
      expiresAt: '2026-03-08T12:10:00.000Z',
    });
  });
});
