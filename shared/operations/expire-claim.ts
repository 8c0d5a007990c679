import type { AwardClaim } from '../domain/award/claim.ts';
import type { OwingAccount } from '../domain/ledger/sum-movements.ts';
import { TransactionConflictError, type Transactions } from '../store/ledger/transactions.ts';
import type { Members } from '../store/member/members.ts';
import { decideAndWrite, type OperationDeps } from './operation.ts';

interface ExpiryDeps extends Pick<OperationDeps, 'nextUuid' | 'table'> {
  readonly members: Members;
  readonly transactions: Transactions;
}

/**
 * Cancels an award claim whose token expired unused. Its points come back: they settle what the member owes first.
 *
 * @throws ClaimConflictError when the token was spent or replaced meanwhile
 * @throws RangeError when the token is still valid
 */
export function expireClaim(claim: AwardClaim, now: Date, deps: ExpiryDeps): Promise<void> {
  return decideAndWrite(
    {
      subject: `the points that a token for ${claim.externalTransactionId} holds`,
      load: () => loadAccountsOf(claim, deps),
      write: (accounts) => deps.transactions.expire({ claim, accounts }, { now, nextUuid: deps.nextUuid }),
      conflicts: [TransactionConflictError],
    },
    deps,
  );
}

/** The account that the points of a claim come back to when its token is cancelled; none when it holds no points. */
export async function loadAccountsOf(
  { userId, heldPoints, heldPartnerId }: AwardClaim,
  { members }: Pick<ExpiryDeps, 'members'>,
): Promise<OwingAccount[]> {
  const account = heldPoints > 0 ? await members.findMembership(userId, heldPartnerId) : undefined;
  return account ? [account] : [];
}
