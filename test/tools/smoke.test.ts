import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { stageSettings } from '../../infra/stages.ts';
import { hosts } from '../../shared/contracts/contract.ts';
import { SyntheticTenant } from '../../shared/operations/synthetic-purchase.ts';
import { NoOutputError, needsAccount, syntheticTenantOf, testsFor, urlsOf } from '../../tools/smoke/smoke.ts';

const sandbox = stageSettings('sandbox');
const production = stageSettings('production');

it('the smoke test calls the hosts by the addresses that callers use', async () => {
  const read = async (stack: string, output: string) => `https://${stack}.example/${output}/`;
  const settings = { ...sandbox, publicUrls: { reward: 'https://rewards.example' } };
  const urls = await urlsOf(settings, read);
  expect(urls).toMatchObject({ base: 'https://rewards-sandbox-base.example/Url', reward: 'https://rewards.example' });
  await expect(urlsOf(sandbox, async () => undefined)).rejects.toThrow(NoOutputError);
});

it('the smoke test needs AWS credentials unless it knows every host’s address', () => {
  const publicUrls = Object.fromEntries(hosts.map((host) => [host, `https://${host}.example`]));
  expect([needsAccount(sandbox), needsAccount({ publicUrls }), needsAccount({ publicUrls: { base: 'x' } })]).toEqual([
    ...[true, false, true],
  ]);
});

it('on production, the smoke test runs no test that leaves rewards or changes campaigns', () => {
  expect(testsFor(production)).toEqual(['test/flow/smoke.test.ts', 'test/flow/openapi.test.ts']);
  expect(testsFor(sandbox).length).toBeGreaterThan(2);
  expect([...testsFor(production), ...testsFor(sandbox)].filter((file) => !existsSync(file))).toEqual([]);
});

it("the smoke test stores the merchant's API key, but not the client secret", async () => {
  const urls = await urlsOf(sandbox, async (stack) => `https://${stack}.example`);
  const merchant = { id: 1, name: 'Coffee', apiKey: 'key', clientId: 'client', clientSecret: 'not-to-be-stored' };
  const unlinkedAccount = { partnerId: 2, memberId: 'SKY-1', pin: '135791' };
  const tenant = syntheticTenantOf(urls, { merchant, campaigns: { earn: 7, redeem: 8 }, unlinkedAccount });
  expect(SyntheticTenant.parse(tenant)).toEqual(tenant);
  expect(tenant).toMatchObject({ apiKey: 'key', campaignId: 7, account: unlinkedAccount });
  expect(JSON.stringify(tenant)).not.toContain('not-to-be-stored');
});
