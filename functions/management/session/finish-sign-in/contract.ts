import * as z from 'zod/mini';
import { defineContract, noCredential } from '../../../../shared/contracts/contract.ts';
import { described } from '../../../../shared/contracts/described.ts';
import { maximumCharacters } from '../../../../shared/contracts/limits.ts';
import { Redirect } from '../../../../shared/http/reply.ts';

const parameter = z.optional(z.string().check(z.maxLength(maximumCharacters.url)));

export const contract = defineContract({
  host: 'management',
  name: 'finish-sign-in',
  method: 'GET',
  path: '/session/callback',
  summary: 'Begin a session, when the issuer has sent a person back. Leads to the page that the person wanted to see.',
  credential: noCredential,
  query: z.object({
    code: described('The authorization code.', parameter),
    state: described('The state of the sign-in.', parameter),
    iss: described('The issuer (RFC 9207).', parameter),
    error: described('Why there is no code (RFC 6749, 4.1.2.1).', parameter),
    error_description: described('The same in words.', parameter),
  }),
  data: Redirect,
  envelope: 'redirect',
  refusals: {
    sign_in_expired: 400,
    sign_in_cancelled: 400,
    sign_in_failed: 400,
    email_not_verified: 403,
    not_invited: 403,
  },
  errors: {
    SignInRefusedError: 'sign_in_cancelled',
    SignInInvalidError: 'sign_in_failed',
    EmailNotVerifiedError: 'email_not_verified',
    NotInvitedError: 'not_invited',
  },
  access: {
    table: {
      platformKey: ['GetItem', 'PutItem'],
      identity: ['GetItem', 'PutItem', 'ConditionCheckItem'],
      invitation: ['Query', 'DeleteItem'],
      staff: ['GetItem', 'Query', 'PutItem'],
      organisation: ['BatchGetItem', 'PutItem', 'DeleteItem', 'UpdateItem'],
      organisationAudit: ['PutItem'],
    },
  },
});
