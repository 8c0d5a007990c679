import { type AwardClaim, rewardIdsOf } from '../../domain/award/claim.ts';
import type { RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import { areRefundsApplied } from '../../domain/order/refund.ts';
import { reverseTransfer, withWaiting } from '../../domain/purchase/move.ts';
import { claimChangeWrite } from '../../store/award/claims.ts';
import { TransactionConflictError } from '../../store/ledger/transactions.ts';
import { ConditionFailedError } from '../../store/table/table-client.ts';
import { decideAndWrite } from '../operation.ts';
import { loadTerms } from './load-terms.ts';
import type { SettleDeps } from './settle-stores.ts';

/**
 * Reverses a transfer that was refunded in full: both legs or none. A part of a transfer cannot be reversed.
 *
 * @throws Error while a token holds the points that arrived
 */
export function settleTransfer(
  { merchantId, campaignId, externalTransactionId }: AwardClaim,
  deps: SettleDeps,
): Promise<void> {
  const key = { merchantId, campaignId, externalTransactionId };
  return decideAndWrite(
    {
      subject: `transfer ${externalTransactionId} of merchant ${merchantId}`,
      load: () => deps.claims.find(key),
      write: (claim) => (claim && !areRefundsApplied(claim) ? reverse(claim, deps) : Promise.resolve()),
      conflicts: [ConditionFailedError, TransactionConflictError],
    },
    deps,
  );
}

async function reverse(claim: AwardClaim, deps: SettleDeps): Promise<void> {
  const context = { now: deps.now(), nextUuid: deps.nextUuid };
  const end = [claimChangeWrite(claim, { refundsAppliedCents: claim.refundedCents ?? 0 })];
  const nothing = { applied: [], further: [], waiting: [] };
  const { refundedCents = 0, amountCents } = claim;
  const legs = await deps.transactions.findAll(rewardIdsOf(claim));
  if (refundedCents < amountCents || legs.some(hasFailed)) return deps.reversals.settle(nothing, end, context);

  const refunds = (await deps.refunds.findWith(claim))?.refunds ?? [];
  const last =
    refunds
      .map(({ createdAt }) => createdAt)
      .toSorted()
      .at(-1) ?? '';
  const uuid = claim.rewards[0]?.uuid ?? '';
  const loaded = await Promise.all(legs.map(async (original) => ({ ...(await loadTerms(original, deps)), original })));
  const reversal = reverseTransfer(
    {
      legs: loaded.map((leg) => ({
        ...leg,
        cause: { uuid: refunds.at(-1)?.uuid ?? uuid, returnedCents: refundedCents },
      })),
      heldPoints: loaded.map(({ heldPoints }) => heldPoints),
      isInTime: legs.map((leg) => isInTime(leg, uuid, last)),
      receivedAt: refunds[0]?.createdAt ?? last,
    },
    context.now,
    deps.nextIds,
  );
  if (reversal === 'held') throw new Error(`points of transfer ${claim.externalTransactionId} are held`);
  if (reversal === 'wait') {
    const waiting = legs.map((original) => ({
      original,
      refunds: withWaiting(original, [{ refundedUuid: uuid, receivedUntil: last }]),
    }));
    return deps.reversals.settle({ ...nothing, waiting }, [], context);
  }
  return deps.reversals.settle({ ...nothing, applied: reversal ?? [] }, end, context);
}

const hasFailed = ({ state }: RewardTransaction) => state === 'FAILED' || state === 'CANCELLED';

/** Whether the last refund arrived before the leg was completed. */
function isInTime({ completedAt, refunds }: RewardTransaction, refundedUuid: string, last: string): boolean {
  if (completedAt !== undefined && last < completedAt) return true;
  return (refunds?.waiting ?? []).some((mark) => mark.refundedUuid === refundedUuid && last <= mark.receivedUntil);
}
