import { isLive, type Purchase } from '../../../shared/domain/award/claim.ts';
import { type Call, endpoint } from '../../../shared/http/endpoint.ts';
import { createdViews } from '../../../shared/http/views/reward-transaction.ts';
import { Purchases } from '../../../shared/store/award/claims.ts';
import { PurchaseChanged } from '../../../shared/store/ledger/conflicts.ts';
import { Transactions } from '../../../shared/store/ledger/transactions.ts';
import { contract } from './contract.ts';

const stores = { purchases: Purchases, transactions: Transactions };

export const handler = endpoint(contract, stores, async (call) => {
  const { body, caller, platform, requestName } = call;
  const token = body.reward_authentication_token;
  const now = platform.now();

  const purchase = await platform.purchases.findByToken(token);
  const isOwn = purchase?.userId === caller.userId && purchase.merchantId === caller.organisationId;
  if (!isOwn) return call.refuse('invalid_token', 'The transaction token is not valid');
  if (!isLive(purchase, now) || purchase.authenticationId !== token) return answerFor(call, purchase);

  try {
    // Written only while the token lives, so of two racing calls one is refused.
    await platform.transactions.create(purchase, requestName, { now, nextUuid: platform.nextUuid });
  } catch (error) {
    if (error instanceof PurchaseChanged) return answerFor(call, error.purchase);
    throw error;
  }
  return { reward_transactions: createdViews(purchase, now.toISOString()) };
});

/** The answer for a token that cannot be spent, by what became of its purchase. */
function answerFor({ refuse, requestName }: Call<typeof contract, typeof stores>, purchase: Purchase | undefined) {
  if (purchase?.state !== 'SPENT') return refuse('invalid_token', 'The transaction token has expired or was replaced');
  // A request that died after its write and comes again with its idempotency key: its reply is due still.
  if (requestName !== undefined && purchase.spentBy === requestName && purchase.spentAt !== undefined) {
    return { reward_transactions: createdViews(purchase, purchase.spentAt) };
  }
  return refuse('transaction_already_exists', 'The transaction has already been created');
}
