import * as z from 'zod/mini';
import { defineContract, noCredential } from '../../../../shared/contracts/contract.ts';
import { described } from '../../../../shared/contracts/described.ts';
import { Redirect } from '../../../../shared/http/reply.ts';

export const contract = defineContract({
  host: 'management',
  name: 'start-sign-in',
  method: 'GET',
  path: '/session/login',
  summary: 'Lead a person to the page of the issuer that signs people in.',
  credential: noCredential,
  query: z.object({
    return_to: described(
      'The path of the dashboard to which the person returns. Anything else leads to the home page.',
      z.optional(z.string()),
    ),
    prompt: described(
      '`login`: the person has to prove again who they are, even if the issuer remembers them.',
      z.optional(z.enum(['login'])),
    ),
  }),
  data: Redirect,
  envelope: 'redirect',
  refusals: {},
  access: { table: { platformKey: ['GetItem', 'PutItem'] } },
});
