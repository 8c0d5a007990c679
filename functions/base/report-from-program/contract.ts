import * as z from 'zod/mini';
import { defineContract, programSignature } from '../../../shared/contracts/contract.ts';
import { described } from '../../../shared/contracts/described.ts';
import { pathInteger } from '../../../shared/http/wire.ts';
import { ProgramReport } from '../../../shared/programs/contract.ts';

export const contract = defineContract({
  host: 'base',
  name: 'report-from-program',
  method: 'POST',
  path: '/programs/{partner_id}/reports',
  summary:
    'Report that an accepted transaction was answered, or that a balance changed. Called by partners’ own loyalty programs; the platform then asks the program.',
  credential: programSignature,
  params: z.object({ partner_id: described("Id of the program's organisation.", pathInteger) }),
  body: ProgramReport,
  data: z.object({ received: described('Always true.', z.boolean()) }),
  refusals: { transaction_not_found: 404, member_not_found: 404 },
  errors: {
    TransactionNotFoundError: 'transaction_not_found',
    UserNotFoundError: 'member_not_found',
  },
  example: {
    request: {
      type: 'transaction.answered',
      data: { transaction_uuid: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e11' },
    },
    reply: { received: true },
  },
  access: {
    table: {
      organisation: ['GetItem'],
      transaction: ['GetItem', 'UpdateItem'],
      externalUser: ['GetItem'],
      user: ['GetItem'],
      outbox: ['PutItem'],
    },
  },
  readsProgramSecrets: true,
});
