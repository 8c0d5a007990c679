import * as z from 'zod/mini';
import { connectToken, defineContract } from '../../../shared/contracts/contract.ts';
import { described } from '../../../shared/contracts/described.ts';
import { guessingAlarm } from '../../../shared/contracts/guessing-alarm.ts';
import { maximumCharacters, toSeconds, validityMs } from '../../../shared/contracts/limits.ts';
import { linkAccess } from '../../../shared/contracts/table.ts';
import { connectTokenParams, partnerId, text } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'base',
  name: 'link-account',
  method: 'POST',
  path: '/connect/{connect_token}/link',
  summary:
    'Offer an account of a loyalty program to the merchant after proof of its possession. Returns a code for the token endpoint, valid 60 seconds; the exchange of the code links the account.',
  credential: connectToken,
  params: connectTokenParams,
  body: z.object({
    partner_id: partnerId,
    member_id: described("The account's id in the loyalty program: the member number.", text()),
    proof: described(
      'PIN, password or one-time code, as the program requires.',
      z.string().check(z.minLength(1), z.maxLength(maximumCharacters.text)),
    ),
  }),
  data: z.object({
    redirect_uri: described(
      'The address to send the person to, with code and state. Null when the merchant has registered none.',
      z.nullable(z.string()),
    ),
    code: described(
      `The code for the token endpoint (grant_type authorization_code). Valid ${toSeconds(validityMs.authorizationCode)} seconds.`,
      z.string(),
    ),
    state: described('The `state` of the connect token; null when it had none.', z.nullable(z.string())),
  }),
  isForBrowsers: true,
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
