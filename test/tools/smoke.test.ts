import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { stageSettings } from '../../infra/stages.ts';
import { NoOutputError, testsFor, urlsOf } from '../../tools/smoke/smoke.ts';

const sandbox = stageSettings('sandbox');
const production = stageSettings('production');

it('calls the hosts by the addresses that callers use', async () => {
  const read = async (stack: string, output: string) => `https://${stack}.example/${output}/`;
  const settings = { ...sandbox, publicUrls: { reward: 'https://rewards.example' } };
  const urls = await urlsOf(settings, read);
  expect(urls).toMatchObject({ base: 'https://rewards-sandbox-base.example/Url', reward: 'https://rewards.example' });
  await expect(urlsOf(sandbox, async () => undefined)).rejects.toThrow(NoOutputError);
});

it('plays no test on production that leaves rewards or changes campaigns', () => {
  expect(testsFor(production)).toEqual(['test/flow/smoke.test.ts', 'test/flow/openapi.test.ts']);
  expect(testsFor(sandbox).length).toBeGreaterThan(2);
  expect([...testsFor(production), ...testsFor(sandbox)].filter((file) => !existsSync(file))).toEqual([]);
});
