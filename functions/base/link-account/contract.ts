import * as z from 'zod/mini';
import { connectToken, defineContract } from '../../../shared/contracts/contract.ts';
import { guessingAlarm } from '../../../shared/contracts/guessing-alarm.ts';
import { maximumCharacters } from '../../../shared/contracts/limits.ts';
import { linkAccess } from '../../../shared/contracts/table.ts';
import { id, text } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'base',
  name: 'link-account',
  method: 'POST',
  path: '/connect/{connect_token}/link',
  summary:
    'Offer an account of a loyalty program to the merchant after proof of its possession. Returns a code for the token endpoint, valid 60 seconds; the exchange of the code links the account.',
  credential: connectToken,
  params: z.object({ connect_token: z.string() }),
  body: z.object({
    partner_id: id,
    /** The account's id in the loyalty program. */
    member_id: text(),
    /** PIN, password or one-time code, as the program requires. */
    proof: z.string().check(z.minLength(1), z.maxLength(maximumCharacters.text)),
  }),
  data: z.object({
    /** The person returns to this address with `code` and `state`. Null when the merchant has registered none. */
    redirect_uri: z.nullable(z.string()),
    code: z.string(),
    state: z.nullable(z.string()),
  }),
  isForBrowsers: true,
  errorField: 'error',
  refusals: {
    partner_not_linkable: 404,
    verification_failed: 400,
    account_already_linked: 409,
    program_unavailable: 503,
    invalid_token: 400,
  },
  errors: {
    PartnerNotLinkableError: 'partner_not_linkable',
    VerificationFailedError: 'verification_failed',
    AccountAlreadyLinkedError: 'account_already_linked',
    ProgramUnavailableError: 'program_unavailable',
    ConnectSessionClosedError: 'invalid_token',
  },
  example: {
    request: { partner_id: 2, member_id: 'SKY-1001', proof: '246802' },
    reply: {
      redirect_uri: 'https://shop.example.com/linked?code=rwx_sandbox_3q2-7w&state=a3f1',
      code: 'rwx_sandbox_3q2-7w',
      state: 'a3f1',
    },
  },
  access: linkAccess,
  readsProgramSecrets: true,
  alarmingMessages: guessingAlarm,
});
