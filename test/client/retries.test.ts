import { describe, expect, it } from 'vitest';
import { createRewardsClient } from '../../clients/typescript/src/index.ts';
import type { RetryOptions } from '../../clients/typescript/src/retries.ts';

const hosts = {
  base: 'http://base.test',
  reward: 'http://reward.test',
  campaign: 'http://campaign.test',
  user: 'http://user.test',
  order: 'http://order.test',
  notification: 'http://notification.test',
};

type Answer = Response | Error;
const ok = () => Response.json({ code: 'ok', data: {} });
const refused = (status: number, headers: Record<string, string> = {}) =>
  Response.json({ error: 'rate_limit_exceeded', message: 'later', request_id: 'r-1' }, { status, headers });

/** A client whose requests get these answers in turn; the pauses are recorded, not waited for. */
function clientWith(answers: readonly Answer[], retries: RetryOptions | false = {}) {
  const sent: { readonly headers: Headers; readonly body: string }[] = [];
  const pauses: number[] = [];
  const client = createRewardsClient({
    hosts,
    partnerKey: 'key',
    fetch: async (request) => {
      const answer = answers[sent.length] ?? new Error('one request too many');
      sent.push({ headers: new Headers(request.headers), body: await request.text() });
      if (answer instanceof Error) throw answer;
      return answer;
    },
    retries: retries && { pause: async (milliseconds) => void pauses.push(milliseconds), ...retries },
  });
  return { client, sent, pauses };
}

const order = {
  body: { user: { user_id: 1 }, order_external_id: 'o-1', transaction_total: 1, transaction_subtotal: 1 },
};

describe('the typed client', () => {
  it('repeats a failed write with the same key and body', async () => {
    const { client, sent, pauses } = clientWith([new TypeError('fetch failed'), refused(429), refused(503), ok()]);
    const { response } = await client.order.POST('/orders/external', order);
    expect(response.status).toBe(200);
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(sent.map(({ body }) => JSON.parse(body))).toEqual([order.body, order.body, order.body, order.body]);
    expect(pauses.every((pause, index) => pause <= 250 * 2 ** index)).toBe(true);
  });

  it('sends the idempotency key of the caller', async () => {
    const { client, sent } = clientWith([refused(500), ok()]);
    await client.order.POST('/orders/external', { ...order, params: { header: { 'Idempotency-Key': 'mine' } } });
    expect(sent.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['mine', 'mine']);
  });

  it('waits as long as Retry-After requires', async () => {
    const { client, pauses } = clientWith([
      refused(429, { 'retry-after': '3' }),
      refused(409, { 'retry-after': '1' }),
      ok(),
    ]);
    await client.order.POST('/orders/external', order);
    expect(pauses).toEqual([3_000, 1_000]);
  });

  it('returns the reply when Retry-After is longer than the longest pause', async () => {
    const { client, sent } = clientWith([refused(429, { 'retry-after': '3600' })]);
    const { response, error } = await client.order.POST('/orders/external', order);
    expect([response.status, error?.error, sent.length]).toEqual([429, 'rate_limit_exceeded', 1]);
  });

  it.each([400, 401, 404, 409, 422])('does not repeat a request after the status %i', async (status) => {
    const { client, sent } = clientWith([refused(status)]);
    await client.order.POST('/orders/external', order);
    expect(sent).toHaveLength(1);
  });

  it('gives up after the last attempt, and throws the last network failure', async () => {
    const refusals = clientWith([refused(503), refused(503)], { attempts: 2 });
    expect((await refusals.client.order.POST('/orders/external', order)).response.status).toBe(503);
    const failures = clientWith([new TypeError('one'), new TypeError('two')], { attempts: 2 });
    await expect(failures.client.order.POST('/orders/external', order)).rejects.toThrow('two');
  });

  it('repeats a failed GET, and sends no idempotency key', async () => {
    const { client, sent } = clientWith([refused(502), ok()]);
    await client.base.GET('/users/{id}', { params: { path: { id: 'u' } } });
    expect(sent.map(({ headers }) => headers.get('idempotency-key'))).toEqual([null, null]);
  });

  it('sends a POST of the connect flow only once', async () => {
    const { client, sent } = clientWith([refused(503)]);
    await client.base.POST('/connect/{connect_token}/link', {
      params: { path: { connect_token: 't' } },
      body: { partner_id: 2, member_id: 'SKY-1', proof: '1' },
    });
    expect(sent).toHaveLength(1);
  });

  it('repeats nothing and adds no idempotency key when retries are off', async () => {
    const { client, sent } = clientWith([refused(503)], false);
    await client.order.POST('/orders/external', order);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.headers.has('idempotency-key')).toBe(false);
  });

  it('stops waiting when the caller aborts', async () => {
    const abort = new AbortController();
    const { client, sent } = clientWith([refused(429, { 'retry-after': '5' }), ok()], {
      pause: async (_, signal) => {
        abort.abort(new Error('enough'));
        signal.throwIfAborted();
      },
    });
    await expect(client.order.POST('/orders/external', { ...order, signal: abort.signal })).rejects.toThrow('enough');
    expect(sent).toHaveLength(1);
  });
});
