import * as z from 'zod/mini';
import { authenticatingUserToken, defineContract } from '../../../shared/contracts/contract.ts';
import { described } from '../../../shared/contracts/described.ts';
import { duration, timingMs, validityMs } from '../../../shared/contracts/limits.ts';
import { refusalReasonNames } from '../../../shared/domain/award/refusal.ts';
import { purchaseDetails } from '../../../shared/http/line-items.ts';
import { dollars, id, optional, text } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'reward',
  name: 'authenticate-transaction',
  method: 'POST',
  path: '/reward_transaction/auth',
  summary: 'Endpoint 1: create a transaction token, valid for ten minutes.',
  credential: authenticatingUserToken,
  body: z.object({
    transaction_amount: described('Amount of the purchase, in dollars with up to two decimals.', dollars),
    external_transaction_id: described("The order transaction's unique identifier in the caller's system.", text()),
    campaign_id: described('The campaign to use. Optional when exactly one campaign fits the member.', optional(id)),
    partner_id: described(
      "The program that the user chose to earn or redeem with. By default, the user's default program.",
      optional(id),
    ),
    ...purchaseDetails,
  }),
  data: z.object({
    authentication_id: described(
      `The transaction token for endpoint 2. Valid ${duration(validityMs.transactionToken)}, for one use.`,
      z.string(),
    ),
    authentication_status: described(
      '1 AUTHENTICATED, 2 INSUFFICIENT_REWARDS_AMOUNT, 3 MEMBER_NOT_EXISTS, 4 ERROR. With 2, 3 and 4 the token cannot be used.',
      z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4)]),
    ),
    reason: described('Why the token cannot be used: with status 2, 3 and 4.', z.optional(z.enum(refusalReasonNames))),
    message: described('The reason, for people. The text may change.', z.optional(z.string())),
  }),
  refusals: {},
  example: {
    request: { transaction_amount: 42.5, external_transaction_id: 'order-1001', campaign_id: 7 },
    reply: { authentication_id: '3q2-7wAAAAAAAAAAAAAAAA', authentication_status: 1 },
  },
  p99GoalMs: timingMs.checkoutP99,
  access: {
    table: {
      user: ['Query', 'GetItem', 'UpdateItem'],
      ledger: ['PutItem'],
      claim: ['GetItem', 'BatchGetItem', 'PutItem', 'DeleteItem'],
      refusedAttempt: ['PutItem'],
      countedSpend: ['GetItem'],
      purchaseProgram: ['UpdateItem'],
      transaction: ['PutItem', 'UpdateItem'],
      outbox: ['PutItem'],
    },
    indexes: ['byMerchant'],
  },
});
