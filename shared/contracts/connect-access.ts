import type { TableAccess } from './table.ts';

/** What linking an account does to the table, by whichever door it is asked for. */
export const linkAccess: TableAccess = {
  table: {
    organisation: ['GetItem'],
    connect: ['UpdateItem'],
    programAccount: ['GetItem', 'UpdateItem'],
    externalUser: ['GetItem', 'PutItem'],
    link: ['PutItem'],
    customerEmail: ['GetItem', 'PutItem'],
    user: ['Query', 'PutItem', 'UpdateItem'],
    ledger: ['PutItem'],
    grant: ['PutItem'],
    credential: ['PutItem'],
    outbox: ['PutItem'],
  },
  indexes: ['byMerchant'],
};
