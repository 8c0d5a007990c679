import { describe, expect, it, vi } from 'vitest';
import { consumer } from '../../../functions/consumers/synthetic-purchase/consumer.ts';
import { timingMs } from '../../../shared/contracts/limits.ts';
import {
  type CallHost,
  type HostRequest,
  makeSyntheticPurchase,
  type SyntheticDeps,
  type SyntheticTenant,
} from '../../../shared/operations/synthetic-purchase.ts';

// A purchase that succeeds is tested over HTTP: test/flow/synthetic-purchase.test.ts.

const tenant: SyntheticTenant = {
  hosts: { base: 'https://base.example', reward: 'https://reward.example' },
  apiKey: 'key-of-the-merchant',
  campaignId: 7,
  account: { partnerId: 2, memberId: 'SKY-1', pin: '135791' },
};

type Reply = Awaited<ReturnType<CallHost>>;
const ok = (data: object): Reply => ({ status: 200, body: { data } });
const transaction = (status: number, points: number | null) =>
  ok({ reward_transaction: { transaction_status: status, reward_amount: points } });

/** The replies of a platform that works, by the last part of the path. */
const working: Readonly<Record<string, Reply>> = {
  connect: ok({ connect_token: 'connect-token' }),
  link: ok({ code: 'code' }),
  token: { status: 200, body: { access_token: 'token' } },
  auth: ok({ authentication_id: 'id', authentication_status: 1 }),
  create: ok({ reward_transactions: [{ id: 1 }] }),
  1: transaction(3, 20),
  refunds: ok({ status: 'pending' }),
};

/** A run against a platform that gives these replies. Time passes only in pauses. */
function scene(replies: Readonly<Record<string, Reply | Error>> = {}, secret?: string) {
  const asked: string[] = [];
  const sent: HostRequest[] = [];
  let nowMs = 1_790_000_100_000;
  const logged = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const deps: SyntheticDeps = {
    config: { stage: 'sandbox', webhookHttpHosts: [], secretsEndpoint: undefined },
    secrets: { read: async () => (secret === undefined ? JSON.stringify(tenant) : secret || undefined) },
    log: logged,
    now: () => new Date(nowMs),
    pause: async (milliseconds) => {
      nowMs += milliseconds;
    },
    call: async (request) => {
      const last = request.url.split('/').at(-1) ?? '';
      asked.push(last);
      sent.push(request);
      const reply = replies[last] ?? working[last];
      if (!reply || reply instanceof Error) throw reply ?? new Error(`no reply for ${last}`);
      return reply;
    },
    memory: {},
  };
  return { deps, asked, sent, logged, pass: (milliseconds: number) => (nowMs += milliseconds) };
}

const failure = [{ name: 'SyntheticPurchaseFailed', values: [1] }];

describe('makeSyntheticPurchase()', () => {
  it('does nothing without a tenant, and logs this in one line', async () => {
    const { deps, asked, logged } = scene({}, '');
    expect(await makeSyntheticPurchase(deps)).toEqual([]);
    expect(asked).toEqual([]);
    expect(logged.info.mock.calls).toEqual([['synthetic.notConfigured', {}]]);
    expect(logged.error).not.toHaveBeenCalled();
  });

  it('connects once for several runs, and uses a new order id in each period', async () => {
    const { deps, asked, sent, pass } = scene();
    await makeSyntheticPurchase(deps);
    expect(asked).toEqual(['connect', 'link', 'token', 'auth', 'create', '1', 'refunds']);
    await makeSyntheticPurchase(deps);
    pass(timingMs.syntheticPeriod);
    await makeSyntheticPurchase(deps);
    expect(asked.filter((path) => path === 'connect')).toHaveLength(1);
    const orders = sent.flatMap(({ json }) =>
      typeof json === 'object' && json && 'external_transaction_id' in json ? [json.external_transaction_id] : [],
    );
    expect(new Set(orders).size).toBe(2);
    expect(orders[0]).toBe(orders[1]);
  });

  it.each([
    ['connect', { status: 503, body: undefined }, 503],
    ['link', { status: 400, body: { error: 'verification_failed' } }, 400],
    ['token', { status: 200, body: {} }, 200],
    ['auth', { status: 429, body: { error: 'too_many_requests' } }, 429],
    ['auth', ok({ authentication_id: 'id', authentication_status: 3, reason: 'member_blocked' }), 200],
    ['create', { status: 500, body: { error: 'internal_error' } }, 500],
    ['1', transaction(6, null), 200],
    ['1', transaction(2, 20), 200],
    ['refunds', { status: 404, body: {} }, 404],
  ])('counts a failure at %s, and logs the step and the status of the reply', async (path, reply, status) => {
    const { deps, logged } = scene({ [path]: reply });
    expect(await makeSyntheticPurchase(deps)).toEqual(failure);
    expect(logged.error).toHaveBeenCalledTimes(1);
    expect(logged.error).toHaveBeenCalledWith('synthetic.failed', expect.objectContaining({ status }));
    expect(JSON.stringify(logged.error.mock.calls)).not.toContain(tenant.apiKey);
  });

  it('counts a failure when it gets no reply or no readable secret', async () => {
    expect(await makeSyntheticPurchase(scene({ create: new Error('timed out') }).deps)).toEqual(failure);
    expect(await makeSyntheticPurchase(scene({}, '{}').deps)).toEqual(failure);
    const broken = { read: () => Promise.reject(new Error('no permission')) };
    expect(await makeSyntheticPurchase({ ...scene().deps, secrets: broken })).toEqual(failure);
  });

  it('refunds a purchase whose reward is late', async () => {
    const { deps, asked } = scene({ 1: transaction(2, 20) });
    await makeSyntheticPurchase(deps);
    const questions = asked.filter((path) => path === '1').length;
    expect(questions).toBe(1 + timingMs.syntheticReward / timingMs.syntheticPoll);
    expect(asked.at(-1)).toBe('refunds');
  });

  it('connects again when its token is refused, but only once in a run', async () => {
    const { deps, asked } = scene({ auth: { status: 401, body: { error: 'invalid_token' } } });
    expect(await makeSyntheticPurchase({ ...deps, memory: { token: 'old', apiKey: tenant.apiKey } })).toEqual(failure);
    expect(asked).toEqual(['auth', 'connect', 'link', 'token', 'auth']);
  });

  it('uses no token of another tenant', async () => {
    const { deps, asked } = scene();
    await makeSyntheticPurchase({ ...deps, memory: { token: 'old', apiKey: 'key of the tenant before' } });
    expect(asked[0]).toBe('connect');
  });

  it('ends before its function times out, even with slow requests', () => {
    const requests = 3 + 2 + 1 + 1 + 1;
    const secret = 3 * timingMs.secretsManager;
    const longestMs = requests * timingMs.syntheticRequest + timingMs.syntheticReward + secret;
    expect(longestMs).toBeLessThan(1_000 * consumer.timeoutSeconds);
  });
});
