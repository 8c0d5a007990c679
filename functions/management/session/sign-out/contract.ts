import * as z from 'zod/mini';
import { defineContract, staffSession } from '../../../../shared/contracts/contract.ts';
import { described } from '../../../../shared/contracts/described.ts';

export const contract = defineContract({
  host: 'management',
  name: 'sign-out',
  method: 'POST',
  path: '/session/logout',
  summary: 'End the session of this browser, or all sessions of the person.',
  credential: staffSession,
  body: z.object({
    everywhere: described('Whether to end the sessions of all browsers.', z._default(z.boolean(), false)),
  }),
  data: z.object({
    location: described(
      'The page of the issuer that ends its own session. It leads back to the dashboard.',
      z.string(),
    ),
  }),
  refusals: {},
  access: { table: { staff: ['Query', 'DeleteItem'] } },
});
