import { connectToken, defineContract } from '../../../shared/contracts/contract.ts';
import { Page } from '../../../shared/http/connect-page.ts';
import { connectTokenParams } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'base',
  name: 'show-connect-page',
  method: 'GET',
  path: '/connect/{connect_token}/page',
  summary: 'Show the connect flow as a plain form, for a person with a browser.',
  credential: connectToken,
  params: connectTokenParams,
  data: Page,
  envelope: 'page',
  refusals: {},
  access: { table: { organisation: ['GetItem'] }, indexes: ['byMerchant'] },
});
