import { centsOfDollars } from '../../../shared/domain/money.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { toPurchaseDetails } from '../../../shared/http/line-items.ts';
import {
  authenticateTransaction,
  authenticateTransactionStores,
  type TokenOutcome,
} from '../../../shared/operations/token/authenticate-transaction.ts';
import { contract } from './contract.ts';

const statuses = { AUTHENTICATED: 1, INSUFFICIENT_REWARDS_AMOUNT: 2, MEMBER_NOT_EXISTS: 3, ERROR: 4 } as const;

export const handler = endpoint(contract, authenticateTransactionStores, ({ body, caller, replyWith }) => {
  const request = {
    merchantId: caller.organisationId,
    userId: caller.userId,
    campaignId: body.campaign_id,
    partnerId: body.partner_id,
    externalTransactionId: body.external_transaction_id,
    amountCents: centsOfDollars(body.transaction_amount) ?? 0,
    details: toPurchaseDetails(body),
  };
  return replyWith(
    ({ authenticationId, status, refusal }: TokenOutcome) => ({
      authentication_id: authenticationId,
      authentication_status: statuses[status],
      ...refusal,
    }),
    (deps) => authenticateTransaction(request, deps),
  );
});
