import { issueUserTokens } from '../../shared/operations/member/issue-user-tokens.ts';
import { findMember } from '../../shared/operations/member/manage-members.ts';
import { provisionTestIdentities } from '../../shared/operations/member/test-identities.ts';
import { connectProgram } from '../../shared/operations/organisation/manage-program.ts';
import { openProgramSecrets } from '../../shared/programs/programs.ts';
import { composePlatform } from '../../shared/runtime/platform.ts';
import { readConfig } from '../../shared/runtime/runtime.ts';
import { connectDemoPayments } from './demo/payments.ts';
import { makeDemoPeople } from './demo/staff.ts';
import { makeShowcase, programAccounts } from './demo/world.ts';

// This script ends together with the platform that runs it, because another platform may use the same ports a moment
// later.
process.channel?.unref();
process.once('disconnect', () => process.exit(1));

/**
 * Creates the world of the demonstration in the table of the environment, and prints its credentials as JSON. If the
 * environment names a program server, this server becomes the program of the partner.
 */
const platform = composePlatform(readConfig(process.env));
const world = await makeShowcase(platform);
const payments = await connectDemoPayments(world, platform);
const testIdentities = await makeTestIdentities(world);
const people = await makeDemoPeople(world, platform);
const { PROGRAM_URL: url, PROGRAM_SECRET: secret } = process.env;
const program = url !== undefined && secret !== undefined ? await connect(world.partner.id, { url, secret }) : {};
process.stdout.write(`${JSON.stringify({ ...world, ...program, testIdentities, payments, people })}\n`);

/** Opens the accounts of the members in the books of the program server, and connects the server to the partner. */
async function connect(partnerId: number, { url, secret }: { readonly url: string; readonly secret: string }) {
  const body = JSON.stringify({ accounts: programAccounts() });
  const response = await fetch(`${url}/control/accounts`, { method: 'PUT', body });
  if (!response.ok) throw new Error(`the program refuses the accounts: ${await response.text()}`);
  const secrets = openProgramSecrets(platform);
  await connectProgram(String(partnerId), { baseUrl: url, secret }, { ...platform, secrets });
  return { program: { url } };
}

/**
 * Creates the test identities of the demonstration's merchant, and returns their ids and user tokens. The keys are the
 * ids that the merchant uses for these customers.
 */
async function makeTestIdentities({ merchant, partner }: Pick<typeof world, 'merchant' | 'partner'>) {
  const order = { merchant: String(merchant.id), program: String(partner.id) };
  const provisioned = await provisionTestIdentities(order, platform);
  const tokens = await Promise.all(
    provisioned.map(async ({ externalId, memberId }) => {
      const member = await findMember({ id: String(memberId) }, platform);
      const { accessToken } = await issueUserTokens({ member, merchantId: merchant.id }, platform);
      return [externalId, { id: memberId, accessToken }] as const;
    }),
  );
  return Object.fromEntries(tokens);
}
