import { type MemberBusiness, openClaims } from '../../domain/reconciliation/open-business.ts';
import { ClaimConflictError, type Transactions } from '../../store/ledger/transactions.ts';
import type { Members } from '../../store/member/members.ts';
import { ChangedMeanwhileError } from '../errors.ts';
import { cancelClaim } from '../token/cancel-claim.ts';
import { type AuditedDeps, auditWrites } from '../write-audited.ts';

type CancelDeps = AuditedDeps<{ readonly members: typeof Members; readonly transactions: typeof Transactions }>;

/**
 * Cancels the unspent transaction tokens of a member. The points that these tokens hold return to the member.
 *
 * @throws ChangedMeanwhileError when a token was spent at the same time
 */
export async function cancelTokens(business: MemberBusiness, reason: string, deps: CancelDeps): Promise<void> {
  for (const claim of openClaims(business)) {
    const audit = await auditWrites(`cancelled a token of member ${claim.userId}: ${reason}`, deps);
    try {
      await cancelClaim(claim, deps.now(), deps, audit);
    } catch (error) {
      if (!(error instanceof ClaimConflictError)) throw error;
      throw new ChangedMeanwhileError({ kind: 'member', id: claim.userId }, 'changed', { isBegun: true });
    }
  }
}
