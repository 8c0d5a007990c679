import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { secretNameOf, syntheticSecret } from '../../shared/contracts/consumer.ts';
import { timingMs } from '../../shared/contracts/limits.ts';
import { makeSyntheticPurchase, type SyntheticDeps } from '../../shared/operations/synthetic-purchase.ts';
import { SecretsManager } from '../../shared/programs/secrets-manager.ts';
import { callHost } from '../../shared/runtime/ports.ts';
import { syntheticTenantOf } from '../../tools/smoke/smoke.ts';
import { cannot, useFlow } from './support/flow.ts';
import { settleLimitMs } from './support/purchase.ts';

const flow = useFlow();

/** The points of each ledger entry of the member who buys. The first purchase links this member's account. */
async function boughtPoints(): Promise<readonly number[]> {
  const { partnerId, memberId } = flow.demo.unlinkedAccount;
  const member = await flow.platform.members.findByExternalId(partnerId, memberId);
  if (!member) throw new Error('the account has no member');
  const entries = await flow.platform.ledger.entriesOf(member.user.id, partnerId);
  return entries.map(({ points }) => points);
}

/** The deps of one instance of the function. `secrets` returns the tenant itself, so no service has to store it. */
function shopper(startMs: number) {
  const begunMs = performance.now();
  const info = vi.fn();
  const error = vi.fn();
  const deps: SyntheticDeps = {
    config: { stage: 'local', webhookHttpHosts: [], secretsEndpoint: undefined },
    secrets: { read: async () => JSON.stringify(syntheticTenantOf(flow.hosts, flow.demo)) },
    log: { info, warn: vi.fn(), error },
    now: () => new Date(startMs + performance.now() - begunMs),
    pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    call: callHost,
    memory: {},
  };
  return { deps, info, error };
}

/** The start of a period of five minutes. The first purchases of the test are all in this period. */
const periodMs = 1_790_000_100_000;

describe.skipIf(cannot.reachTable)('the synthetic purchase', () => {
  it('is rewarded and reversed once every five minutes', async () => {
    const first = shopper(periodMs);
    expect(await makeSyntheticPurchase(first.deps)).toEqual([
      { name: 'SyntheticPurchaseSucceeded', values: [1] },
      { name: 'SyntheticPurchaseDuration', values: [expect.any(Number)] },
    ]);
    expect(first.error).not.toHaveBeenCalled();

    // The same instance repeats the purchase. So does another instance, which has to connect again.
    const again = shopper(periodMs);
    expect(await makeSyntheticPurchase(first.deps)).toEqual([]);
    expect(await makeSyntheticPurchase(again.deps)).toEqual([]);
    expect(again.info).toHaveBeenCalledWith('synthetic.repeated', expect.anything());

    // A token that no longer works is replaced within the run.
    first.deps.memory.token = `${first.deps.memory.token}x`;
    const { now } = shopper(periodMs + timingMs.syntheticPeriod).deps;
    expect(await makeSyntheticPurchase({ ...first.deps, now })).toHaveLength(2);

    const sum = async () => (await boughtPoints()).reduce((total, points) => total + points, 0);
    await expect.poll(sum, { timeout: settleLimitMs }).toBe(1_200);
    expect((await boughtPoints()).filter((points) => points === 20)).toHaveLength(2);
  });

  it.skipIf(cannot.lookInside)('is made by the function once the function’s secret contains a tenant', async () => {
    const { region, secrets: endpoint } = flow.aws ?? {};
    if (region === undefined || endpoint === undefined) return;
    const run = () => flow.inside.invoke('consumers/synthetic-purchase', {});
    expect(await run()).not.toHaveProperty('error');
    const credentials = { accessKeyId: 'operator', secretAccessKey: 'local' };
    const client = new DynamoDBClient({ region, credentials });
    const secrets = new SecretsManager(client.config, endpoint, () => new Date());
    const before = (await boughtPoints()).length;
    const secret = secretNameOf('local', syntheticSecret);
    await secrets.write(secret, JSON.stringify(syntheticTenantOf(flow.hosts, flow.demo)));
    try {
      expect(await run()).not.toHaveProperty('error');
      const entries = async () => (await boughtPoints()).length;
      await expect.poll(entries, { timeout: settleLimitMs }).toBeGreaterThanOrEqual(before + 2);
    } finally {
      // While the secret exists, the clock makes purchases during the tests of other files too.
      const headers = { 'x-amz-target': 'secretsmanager.DeleteSecret', 'content-type': 'application/x-amz-json-1.1' };
      const body = JSON.stringify({ SecretId: secret, ForceDeleteWithoutRecovery: true });
      expect(await fetch(endpoint, { method: 'POST', headers, body })).toMatchObject({ status: 200 });
      client.destroy();
    }
  });
});
