import { type AwardClaim, isLive } from '../domain/award/claim.ts';
import { plainError } from '../domain/errors.ts';
import { AwardClaims } from '../store/award/claims.ts';
import { ClaimConflictError, Transactions } from '../store/ledger/transactions.ts';
import type { Deps } from './operation.ts';

export const createTransactionStores = { claims: AwardClaims, transactions: Transactions };

/** A token that its member spends. */
export interface CreationRequest {
  readonly token: string;
  readonly userId: number;
  readonly merchantId: number;
  /** The request, if it has an idempotency key. */
  readonly requestName: string | undefined;
}

/** The claim whose transactions were created, and the time. */
export interface CreatedTransactions {
  readonly claim: AwardClaim;
  readonly createdAt: string;
}

/** The transaction token is unknown, another member's, expired or replaced. */
export class TokenNotValidError extends Error {
  override readonly name = 'TokenNotValidError';
}

/** The transaction token was spent. */
export class TransactionExistsError extends plainError(
  'TransactionExistsError',
  'The transaction has already been created',
) {}

/**
 * Creates the transactions of a token, which is spent by that. Of two racing requests one succeeds.
 *
 * @throws TokenNotValidError, TransactionExistsError
 */
export async function createTransaction(
  request: CreationRequest,
  { claims, transactions, now, nextUuid }: Deps<typeof createTransactionStores>,
): Promise<CreatedTransactions> {
  const { token, userId, merchantId, requestName } = request;
  const at = now();
  const claim = await claims.findByToken(token);
  const isOwn = claim?.userId === userId && claim.merchantId === merchantId;
  if (!isOwn) throw new TokenNotValidError('The transaction token is not valid');
  if (!isLive(claim, at) || claim.authenticationId !== token) return answerSpent(claim, requestName);

  try {
    await transactions.create(claim, requestName, { now: at, nextUuid });
    return { claim, createdAt: at.toISOString() };
  } catch (error) {
    if (error instanceof ClaimConflictError) return answerSpent(error.claim, requestName);
    throw error;
  }
}

/** A request that ended after its write is repeated with its idempotency key, and receives its reply then. */
function answerSpent(claim: AwardClaim | undefined, requestName: string | undefined): CreatedTransactions {
  if (claim?.state !== 'SPENT') throw new TokenNotValidError('The transaction token has expired or was replaced');
  if (requestName !== undefined && claim.spentBy === requestName && claim.spentAt !== undefined) {
    return { claim, createdAt: claim.spentAt };
  }
  throw new TransactionExistsError();
}
