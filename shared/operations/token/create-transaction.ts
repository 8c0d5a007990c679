import { type AwardClaim, isLive } from '../../domain/award/claim.ts';
import { plainError } from '../../domain/errors.ts';
import { AwardClaims } from '../../store/award/claims.ts';
import { ClaimConflictError, Transactions } from '../../store/ledger/transactions.ts';
import type { Deps, Replying } from '../operation.ts';

export const createTransactionStores = { claims: AwardClaims, transactions: Transactions };

type CreationDeps = Deps<typeof createTransactionStores> & Replying<CreatedTransactions>;

/** A token that its member spends. */
export interface CreationRequest {
  readonly token: string;
  readonly userId: number;
  readonly merchantId: number;
}

/** The claim whose transactions were created, and the time of their creation. */
export interface CreatedTransactions {
  readonly claim: AwardClaim;
  readonly createdAt: string;
}

/** The transaction token is unknown, expired, replaced, or belongs to another member. */
export class TokenNotValidError extends Error {
  override readonly name = 'TokenNotValidError';
}

/** The transaction token was spent. */
export class TransactionExistsError extends plainError(
  'TransactionExistsError',
  'The transaction has already been created',
) {}

/**
 * Spends a token: creates its transactions. If two requests spend a token at the same time, one of them succeeds.
 *
 * @throws TokenNotValidError, TransactionExistsError
 */
export async function createTransaction(
  { token, userId, merchantId }: CreationRequest,
  { claims, transactions, now, nextUuid, replyWrites }: CreationDeps,
): Promise<CreatedTransactions> {
  const at = now();
  const claim = await claims.findByToken(token);
  const isOwn = claim?.userId === userId && claim.merchantId === merchantId;
  if (!isOwn) throw new TokenNotValidError('The transaction token is not valid');
  if (!isLive(claim, at) || claim.authenticationId !== token) throw unusable(claim);

  const created = { claim, createdAt: at.toISOString() };
  try {
    await transactions.create(claim, { now: at, nextUuid, replyWrites: replyWrites?.(created) });
    return created;
  } catch (error) {
    throw error instanceof ClaimConflictError ? unusable(error.claim) : error;
  }
}

function unusable(claim: AwardClaim | undefined): Error {
  if (claim?.state === 'SPENT') return new TransactionExistsError();
  return new TokenNotValidError('The transaction token has expired or was replaced');
}
