import * as z from 'zod/mini';
import { authenticatingUserToken, defineContract } from '../../../shared/contracts/contract.ts';
import { timingMs } from '../../../shared/contracts/limits.ts';
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
    transaction_amount: dollars,
    external_transaction_id: text(),
    campaign_id: optional(id),
    partner_id: optional(id),
    ...purchaseDetails,
  }),
  data: z.object({
    authentication_id: z.string(),
    /** 1 AUTHENTICATED, 2 INSUFFICIENT_REWARDS_AMOUNT, 3 MEMBER_NOT_EXISTS, 4 ERROR. */
    authentication_status: z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4)]),
    /** Our addition: present with status 2, 3 and 4. */
    reason: z.optional(z.enum(refusalReasonNames)),
    message: z.optional(z.string()),
  }),
  errorField: 'error',
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
