import * as z from 'zod/mini';
import { defineContract, partnerKey } from '../../../shared/contracts/contract.ts';
import { described } from '../../../shared/contracts/described.ts';
import { ReportedRefund, TransactionRefund } from '../../../shared/http/views/refund.ts';
import { pathId } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'reward',
  name: 'refund-transaction',
  method: 'POST',
  // The parameter has the same name as in endpoint 8: API Gateway allows only one name at this place of a path.
  path: '/transactions/{reward_transaction_id}/refunds',
  summary: 'Added: report a refund of what a transaction token moved, where no external order was reported.',
  credential: partnerKey,
  permission: 'orders:write',
  params: z.object({ reward_transaction_id: described('UUID or integer id of the transaction.', pathId) }),
  body: ReportedRefund,
  data: TransactionRefund,
  refusals: {
    invalid_request: 400,
    transaction_does_not_exist: 404,
    transaction_not_refundable: 409,
    refund_already_exists: 409,
    refund_exceeds_transaction: 409,
  },
  errors: {
    TransactionNotFoundError: 'transaction_does_not_exist',
    TransactionNotRefundableError: 'transaction_not_refundable',
    RefundExistsError: 'refund_already_exists',
    RefundExceedsTotalError: 'refund_exceeds_transaction',
  },
  notFound: 'transaction_does_not_exist',
  example: {
    request: { refund_external_id: 'refund-1', amount: 1250 },
    reply: {
      refund_external_id: 'refund-1',
      transaction_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e02',
      amount: 1250,
      status: 'pending',
      created_date: '2026-03-04T10:00:00.000Z',
    },
  },
  access: {
    table: {
      transaction: ['GetItem'],
      claim: ['GetItem', 'PutItem', 'UpdateItem'],
      order: ['GetItem'],
      outbox: ['PutItem'],
    },
  },
});
