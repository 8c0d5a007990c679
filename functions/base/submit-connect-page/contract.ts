import * as z from 'zod/mini';
import { connectToken, defineContract } from '../../../shared/contracts/contract.ts';
import { described } from '../../../shared/contracts/described.ts';
import { guessingAlarm } from '../../../shared/contracts/guessing-alarm.ts';
import { maximumCharacters } from '../../../shared/contracts/limits.ts';
import { linkAccess } from '../../../shared/contracts/table.ts';
import { Page } from '../../../shared/http/connect-page.ts';
import { connectTokenParams, text } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'base',
  name: 'submit-connect-page',
  method: 'POST',
  path: '/connect/{connect_token}/page',
  summary: 'Submit the plain form. Redirects to the merchant with a code, or shows the form again with the error.',
  credential: connectToken,
  params: connectTokenParams,
  bodyType: 'form',
  body: z.object({
    partner_id: described(
      'Id of the partner: the organisation of the loyalty program.',
      z.string().check(z.regex(/^[1-9]\d{0,15}$/)),
    ),
    member_id: described("The account's id in the loyalty program: the member number.", text()),
    proof: described(
      'PIN, password or one-time code, as the program requires.',
      z.string().check(z.minLength(1), z.maxLength(maximumCharacters.text)),
    ),
  }),
  data: Page,
  envelope: 'page',
  refusals: { invalid_token: 400 },
  errors: { ConnectSessionClosedError: 'invalid_token' },
  access: linkAccess,
  readsProgramSecrets: true,
  alarmingMessages: guessingAlarm,
});
