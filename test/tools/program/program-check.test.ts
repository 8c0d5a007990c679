import { execFile as execFileWithCallback } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkProgram, checks, type Finding, probe } from '../../../tools/program-check/checks.ts';
import { Partner, type PartnerSettings } from '../../../tools/program-check/partner.ts';
import type { Defect } from '../../../tools/program-server/faults.ts';
import { aProgram, type TestProgram } from '../../support/program-server.ts';

/** The conformance kit checks the demonstration program: first without a defect, then with one defect at a time. */

let program: TestProgram;
beforeAll(async () => {
  program = await aProgram();
});
afterAll(() => program.close());

const execFile = promisify(execFileWithCallback);
const account = { member_id: 'CHECK-1', proof: '1357', balance: 40 };

async function check(deadlineMs = 2_000, more: Partial<PartnerSettings> = {}): Promise<Finding[]> {
  const partner = new Partner({
    baseUrl: program.url,
    secret: program.secret,
    memberId: account.member_id,
    proof: account.proof,
    deadlineMs,
    waitMs: 2_000,
    ...more,
  });
  const findings: Finding[] = [];
  for await (const finding of checkProgram(partner)) findings.push(finding);
  return findings;
}

const broken = (findings: readonly Finding[]) =>
  findings.filter((finding) => finding.broken).map(({ promise }) => promise);

beforeAll(() => program.open(account));

describe('a program that follows the contract', () => {
  it('keeps every promise, and the check changes no balance', async () => {
    const findings = await check();

    expect(findings.filter((finding) => finding.broken)).toEqual([]);
    expect(findings.map(({ promise }) => promise)).toEqual([probe, ...checks].map(({ promise }) => promise));
    expect(await program.balanceOf(account.member_id)).toBe(40);
  });

  it('keeps every promise when it accepts and answers later', async () => {
    await program.order({ fault: 'accept', call: 'transactions', ms: 5 });
    const findings = await check();
    await program.clearFaults();

    expect(findings.filter((finding) => finding.broken)).toEqual([]);
  });
});

/** Each defect that the demonstration program can have, with a promise that the defect breaks. */
const breaks: Readonly<Record<Defect, string>> = {
  accepts_unsigned_requests: 'refuses a request without a signature',
  ignores_the_age_of_requests: 'refuses a request that was signed 10 minutes ago',
  knows_only_the_first_signature: 'accepts a request with two signatures of which the second is its own',
  signs_the_parsed_body: 'verifies the bytes that arrived, however they are formatted',
  tells_unknown_accounts_from_wrong_proofs: 'refuses a wrong proof and an unknown account in the same way',
  verifies_any_proof: 'refuses a wrong proof and an unknown account in the same way',
  applies_repeated_transactions_again: 'applies a repeated transaction once',
  applies_parallel_transactions_again: 'applies a transaction once when it arrives several times at the same moment',
  takes_other_content_for_a_known_transaction: 'refuses a known transaction with another content',
  answers_a_repeated_rejection_with_a_confirmation: 'rejects a payment that the balance does not cover, for good',
  overdraws: 'rejects a payment that the balance does not cover, for good',
  refuses_reversals_below_zero: 'reverses an award, also below zero',
  stores_queried_transactions: 'does not store a transaction because of a query',
  answers_unknown_transactions_with_404: 'does not store a transaction because of a query',
  cancels_twice: 'cancels a transaction once',
  applies_transactions_after_their_cancellation: 'does not apply a transaction that arrives after its cancellation',
  ignores_cancellations: 'cancels a transaction once',
  refuses_unknown_fields: 'ignores fields that it does not know',
  replies_in_another_format: 'adds and takes points',
  crashes_on_malformed_requests: 'replies 400 to a body that is not JSON',
  replies_slowly: probe.promise,
};

describe('a program that does not answer the first request', () => {
  it.each([
    ['another server', { url: 'http://127.0.0.1:9' }, 'no reply'],
    ['another secret', { secret: `whsec_${Buffer.alloc(32).toString('base64')}` }, '401'],
  ])('is reported once, with the cause: %s', async (_, { url, secret }: { url?: string; secret?: string }, status) => {
    const findings = await check(undefined, { baseUrl: url ?? program.url, secret: secret ?? program.secret });

    expect(findings).toMatchObject([{ endsCheck: true, broken: { fault: expect.stringContaining(status) } }]);
  });
});

describe('a program that breaks the contract', () => {
  it.each(Object.entries(breaks) as [Defect, string][])(
    'is reported when it has the defect %s',
    async (defect, promise) => {
      await program.break(defect);
      const findings = await check(defect === 'replies_slowly' ? 100 : undefined);
      await program.break();

      expect(broken(findings)).toContain(promise);
      for (const { broken: found } of findings) if (found) expect(found.advice.length).toBeGreaterThan(20);
    },
  );
});

describe('npm run program:check', () => {
  const run = (...args: string[]) =>
    execFile(process.execPath, ['tools/program-check/main.ts', ...args], {
      env: { ...process.env, PROGRAM_SECRET: program.secret },
    });

  it('prints each broken promise with advice, and exits with 1', async () => {
    await program.break('cancels_twice');
    const failed = await run(program.url, '--member', account.member_id, '--proof', account.proof).catch(
      (error) => error,
    );
    await program.break();

    expect(failed.code).toBe(1);
    expect(failed.stdout).toContain(`kept    ${breaks.accepts_unsigned_requests}\n`);
    expect(failed.stdout).toMatch(/broken {2}cancels a transaction once\n {8}found: .*\n {8}to do: .*\n/);
    expect(failed.stdout).toMatch(/\n\d+ of \d+ promises kept\.\n$/);
  });

  it.each([
    [['--member', 'M-1', '--proof', '1'], 'give one URL'],
    [['https://partner.example'], 'give the account for the check'],
    [['https://partner.example', '--member', 'M-1', '--proof', '1', '--secret', 'x'], 'a secret is whsec_ followed'],
    [['https://partner.example', '--member', 'M-1', '--proof', '1', '--secret', 'whsec_QUJD'], 'this one has 3'],
  ])('exits with 2 and prints the usage for the arguments %j', async (args, reason) => {
    const failed = await run(...args).catch((error) => error);

    expect(failed.code).toBe(2);
    expect(failed.stderr).toContain(reason);
    expect(failed.stderr).toContain('npm run program:check -- <url>');
  });
});
