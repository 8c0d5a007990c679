import type { AwardClaim } from '../../domain/award/claim.ts';
import type { OwingAccount } from '../../domain/ledger/sum-movements.ts';
import { TransactionConflictError, type Transactions } from '../../store/ledger/transactions.ts';
import type { Members } from '../../store/member/members.ts';
import type { Write } from '../../store/table/table-client.ts';
import { decideAndWrite, type OperationDeps } from '../operation.ts';

interface CancelDeps extends Pick<OperationDeps, 'nextUuid' | 'table'> {
  readonly members: Members;
  readonly transactions: Transactions;
}

/**
 * Cancels an award claim whose token is not spent. Returns the held points to the member; the returned points first
 * settle what the member owes.
 *
 * @param auditWrites the row of the audit trail, when an operator cancels
 * @throws ClaimConflictError when the token was spent or replaced meanwhile
 */
export function cancelClaim(
  claim: AwardClaim,
  now: Date,
  deps: CancelDeps,
  auditWrites?: readonly Write[],
): Promise<void> {
  return decideAndWrite(
    {
      subject: `the points that a token for ${claim.externalTransactionId} holds`,
      load: () => loadAccountsOf(claim, deps),
      write: (accounts) => deps.transactions.cancel({ claim, accounts }, { now, nextUuid: deps.nextUuid, auditWrites }),
      conflicts: [TransactionConflictError],
    },
    deps,
  );
}

/**
 * Loads the account to which the held points of a claim return when its token is cancelled. Returns an empty list when
 * the claim holds no points.
 */
export async function loadAccountsOf(
  { userId, heldPoints, heldPartnerId }: AwardClaim,
  { members }: Pick<CancelDeps, 'members'>,
): Promise<OwingAccount[]> {
  const account = heldPoints > 0 ? await members.findMembership(userId, heldPartnerId) : undefined;
  return account ? [account] : [];
}
