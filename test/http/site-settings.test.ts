import { expect, it, onTestFinished, vi } from 'vitest';
import { secretNameOf } from '../../shared/contracts/consumer.ts';
import { edgeHeaders, edgeSecret } from '../../shared/contracts/edge.ts';
import { originOf } from '../../shared/http/caller-address.ts';
import { SecretsManager } from '../../shared/programs/secrets-manager.ts';
import { readConfig } from '../../shared/runtime/runtime.ts';
import { openSiteSettings } from '../../shared/runtime/site-settings.ts';
import { fromEdge, openSettings } from '../support/dashboard-desk.ts';

const aws = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'operator', AWS_SECRET_ACCESS_KEY: 'local' };

it('the settings accept both secrets of the delivery network while it is rotated, and then the new one', async () => {
  await openSettings();
  for (const [name, value] of Object.entries(aws)) vi.stubEnv(name, value);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const config = readConfig({ ...process.env, STAGE: 'local', TABLE_NAME: 'table' });
  const now = () => new Date();
  const credentials = async () => ({ accessKeyId: 'operator', secretAccessKey: 'local' });
  const secrets = new SecretsManager({ region: async () => 'us-east-1', credentials }, config.secretsEndpoint, now);
  const rotate = (text: string) => secrets.write(secretNameOf('local', edgeSecret), text);
  const accepted = async (text = fromEdge[edgeHeaders.secret]) => {
    const { edgeSecrets } = await openSiteSettings({ config, now })();
    return originOf({ ...fromEdge, [edgeHeaders.secret]: text }, '203.0.113.7', edgeSecrets).isFromEdge;
  };

  expect([await accepted(), await accepted('second')]).toEqual([true, false]);
  await rotate('second');
  expect([await accepted(), await accepted('second')]).toEqual([true, true]);
  await rotate('third');
  expect([await accepted(), await accepted('second'), await accepted('third')]).toEqual([false, true, true]);
});
