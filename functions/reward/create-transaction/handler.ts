import { type AwardClaim, isLive } from '../../../shared/domain/award/claim.ts';
import { type Call, endpoint } from '../../../shared/http/endpoint.ts';
import { createdViews } from '../../../shared/http/views/reward-transaction.ts';
import { AwardClaims } from '../../../shared/store/award/claims.ts';
import { ClaimConflictError } from '../../../shared/store/ledger/conflicts.ts';
import { Transactions } from '../../../shared/store/ledger/transactions.ts';
import { contract } from './contract.ts';

const stores = { claims: AwardClaims, transactions: Transactions };

export const handler = endpoint(contract, stores, async (call) => {
  const { body, caller, platform, requestName } = call;
  const token = body.reward_authentication_token;
  const now = platform.now();

  const claim = await platform.claims.findByToken(token);
  const isOwn = claim?.userId === caller.userId && claim.merchantId === caller.organisationId;
  if (!isOwn) return call.refuse('invalid_token', 'The transaction token is not valid');
  if (!isLive(claim, now) || claim.authenticationId !== token) return answerFor(call, claim);

  try {
    // Written only while the token lives, so of two racing calls one is refused.
    await platform.transactions.create(claim, requestName, { now, nextUuid: platform.nextUuid });
  } catch (error) {
    if (error instanceof ClaimConflictError) return answerFor(call, error.claim);
    throw error;
  }
  return { reward_transactions: createdViews(claim, now.toISOString()) };
});

/** The answer for a token that cannot be spent, by what became of its purchase. */
function answerFor({ refuse, requestName }: Call<typeof contract, typeof stores>, claim: AwardClaim | undefined) {
  if (claim?.state !== 'SPENT') return refuse('invalid_token', 'The transaction token has expired or was replaced');
  // A request that died after its write and comes again with its idempotency key: its reply is due still.
  if (requestName !== undefined && claim.spentBy === requestName && claim.spentAt !== undefined) {
    return { reward_transactions: createdViews(claim, claim.spentAt) };
  }
  return refuse('transaction_already_exists', 'The transaction has already been created');
}
