import { parseArgs } from 'node:util';
import { en } from 'zod/locales';
import * as z from 'zod/mini';
import { keyOfSecret } from '../../shared/webhooks/standard-webhooks.ts';
import { checkProgram } from './checks.ts';
import { Partner, type PartnerSettings } from './partner.ts';

/** `npm run program:check -- <url>`: checks a partner's server against the published contract. */

const usage = `npm run program:check -- <url> --member NUMBER --proof PROOF [options]

Checks that a loyalty program follows docs/programs/openapi.yaml. It posts transactions to the account,
and returns its balance to what it was. Exits with 1 when the program breaks the contract.

  <url>            the URL that the paths of the contract follow
  --member NUMBER  the number of an account for the check
  --proof PROOF    its PIN or password
  --secret SECRET  the shared secret, whsec_…; or set PROGRAM_SECRET
  --deadline MS    how long to wait for a reply (default: 8000, as the platform)
  --wait MS        how long to wait for the answer to an accepted transaction (default: 60000)
  --help           print this help`;

/** @throws Error with the reason when an option is missing or wrong */
function readSettings(args: readonly string[]): PartnerSettings | 'help' {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      member: { type: 'string' },
      proof: { type: 'string' },
      secret: { type: 'string' },
      deadline: { type: 'string', default: '8000' },
      wait: { type: 'string', default: '60000' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const [baseUrl = '', ...others] = positionals;
  const { member: memberId = '', proof = '', secret = process.env.PROGRAM_SECRET ?? '' } = values;
  if (!URL.canParse(baseUrl) || others.length > 0) throw new Error('give one URL');
  if (memberId === '' || proof === '') throw new Error('give the account for the check with --member and --proof');
  if (secret === '') throw new Error('give the shared secret with --secret or PROGRAM_SECRET');
  keyOfSecret(secret);
  return { baseUrl, memberId, proof, secret, deadlineMs: Number(values.deadline), waitMs: Number(values.wait) };
}

async function check(settings: PartnerSettings): Promise<number> {
  // zod/mini has no messages for its issues.
  z.config(en());
  let broken = 0;
  let kept = 0;
  for await (const finding of checkProgram(new Partner(settings))) {
    if (finding.broken) {
      broken += 1;
      console.log(`broken  ${finding.promise}`);
      console.log(`        found: ${finding.broken.fault}`);
      console.log(`        to do: ${finding.broken.advice}`);
      if (finding.endsCheck) console.log('\nThis one cause explains everything else, so the check stops here.');
    } else {
      kept += 1;
      console.log(`kept    ${finding.promise}`);
    }
  }
  console.log(`\n${kept} of ${kept + broken} promises kept.${broken > 0 ? '' : ' The program follows the contract.'}`);
  return broken;
}

try {
  const settings = readSettings(process.argv.slice(2));
  if (settings === 'help') console.log(usage);
  else process.exitCode = (await check(settings)) > 0 ? 1 : 0;
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  process.exitCode = 2;
}
