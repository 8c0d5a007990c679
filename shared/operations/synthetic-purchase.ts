import * as z from 'zod/mini';
import { secretNameOf, syntheticSecret } from '../contracts/consumer.ts';
import { timingMs } from '../contracts/limits.ts';
import type { Measurement } from '../contracts/metrics.ts';
import type { SecretsManager } from '../programs/secrets-manager.ts';
import type { OperationDeps } from './operation.ts';

/** A request to one of the platform's hosts, as a merchant's server sends it. */
export interface HostRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** For `x-api-key`; absent where a secret in the path is the credential. */
  readonly key?: string;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
}

/** @throws Error when no complete reply arrives in time */
export type CallHost = (request: HostRequest) => Promise<{ readonly status: number; readonly body: unknown }>;

/** The content of the secret of the synthetic purchase: which member buys, and where. */
export const SyntheticTenant = z.object({
  hosts: z.object({ base: z.url(), reward: z.url() }),
  /** The key of the test merchant. */
  apiKey: z.string(),
  /** The campaign that rewards the purchase. */
  campaignId: z.int(),
  /** The account of the member in the hosted program of the test partner. */
  account: z.object({ partnerId: z.int(), memberId: z.string(), pin: z.string() }),
});
export type SyntheticTenant = z.infer<typeof SyntheticTenant>;

export interface SyntheticDeps extends Pick<OperationDeps, 'config' | 'log' | 'now'> {
  readonly secrets: Pick<SecretsManager, 'read'>;
  readonly call: CallHost;
  readonly pause: (milliseconds: number) => Promise<unknown>;
  /**
   * What one instance of the function remembers from run to run: the member's token, and the merchant that it is for.
   */
  readonly memory: { token?: string; apiKey?: string };
}

/** A step of the purchase got no reply, or a reply that a merchant does not expect. */
export class SyntheticStepError extends Error {
  override readonly name = 'SyntheticStepError';
  readonly step: string;
  readonly status: number;
  readonly code: string;

  constructor(step: string, { status, code }: { readonly status: number; readonly code: string }) {
    super(`${step}: status ${status}, ${code}`);
    this.step = step;
    this.status = status;
    this.code = code;
  }
}

/**
 * Makes one small purchase of a test member over HTTPS, waits for its reward and refunds it. It uses the key of the
 * test merchant, and has no access to the table. Without a secret it does nothing.
 *
 * The id of the order contains the number of the present period of five minutes. A repeated call in the period
 * therefore repeats the same order, which the platform rewards once.
 *
 * No token is stored, because a stored refresh token needs one writer, and a repair by hand when a put fails after the
 * exchange.
 *
 * @returns the measurements: one success or one failure; none when it did nothing
 */
export async function makeSyntheticPurchase(deps: SyntheticDeps): Promise<readonly Measurement[]> {
  const { config, log, now, secrets } = deps;
  const order = `synthetic-${Math.floor(now().getTime() / timingMs.syntheticPeriod)}`;
  try {
    const text = await secrets.read(secretNameOf(config.stage, syntheticSecret));
    if (text === undefined) {
      log.info('synthetic.notConfigured', {});
      return [];
    }
    const durationMs = await buy(order, SyntheticTenant.parse(JSON.parse(text)), deps);
    if (durationMs === undefined) {
      log.info('synthetic.repeated', { order });
      return [];
    }
    log.info('synthetic.succeeded', { order, durationMs });
    return [
      { name: 'SyntheticPurchaseSucceeded', values: [1] },
      { name: 'SyntheticPurchaseDuration', values: [durationMs] },
    ];
  } catch (error) {
    const reason =
      error instanceof SyntheticStepError ? { step: error.step, status: error.status, code: error.code } : {};
    log.error('synthetic.failed', { order, ...reason, error });
    return [{ name: 'SyntheticPurchaseFailed', values: [1] }];
  }
}

/** The price. It earns few points, but at least one. */
const priceDollars = 10;

const Authenticated = z.object({
  data: z.object({
    authentication_id: z.string(),
    authentication_status: z.int(),
    reason: z.optional(z.string()),
  }),
});
const Created = z.object({
  data: z.object({ reward_transactions: z.array(z.object({ id: z.int() })).check(z.minLength(1)) }),
});
const Refunded = z.object({ data: z.object({ status: z.enum(['pending', 'applied']) }) });

/**
 * Buys, and refunds what was bought.
 *
 * @returns the time that a customer would have waited; undefined when the order was rewarded before
 */
async function buy(order: string, tenant: SyntheticTenant, deps: SyntheticDeps): Promise<number | undefined> {
  const { hosts, apiKey, campaignId } = tenant;
  const purchase = { transaction_amount: priceDollars, external_transaction_id: order, campaign_id: campaignId };
  const ask = async () => {
    const key = await tokenFor(tenant, deps);
    const startedAtMs = deps.now().getTime();
    const reply = await deps.call({
      method: 'POST',
      url: `${hosts.reward}/reward_transaction/auth`,
      key,
      json: purchase,
    });
    return { key, startedAtMs, reply };
  };

  let asked = await ask();
  if (asked.reply.status === 401) {
    // The token has expired, or it was revoked. The member connects again.
    delete deps.memory.token;
    asked = await ask();
  }
  const { data } = parse('authenticate', asked.reply, Authenticated);
  if (data.reason === 'transaction_already_exists') return undefined;
  if (data.authentication_status !== 1) {
    throw new SyntheticStepError('authenticate', { status: 200, code: data.reason ?? `${data.authentication_status}` });
  }
  const json = { reward_authentication_token: data.authentication_id };
  const url = `${hosts.reward}/reward_transaction/create`;
  const reply = await deps.call({ method: 'POST', url, key: asked.key, json });
  const created = parse('create', reply, Created);
  const durationMs = deps.now().getTime() - asked.startedAtMs;
  const id = created.data.reward_transactions[0]?.id;

  try {
    await waitForReward(`${hosts.base}/transactions/${id}`, apiKey, deps);
  } finally {
    const refund = { refund_external_id: order, amount: 100 * priceDollars };
    const path = `${hosts.reward}/transactions/${id}/refunds`;
    parse('refund', await deps.call({ method: 'POST', url: path, key: apiKey, json: refund }), Refunded);
  }
  return durationMs;
}

/** The statuses of endpoint 7. */
const transactionStatus = { initiated: 1, pending: 2, completed: 3 };
const Transaction = z.object({
  data: z.object({
    reward_transaction: z.object({ transaction_status: z.int(), reward_amount: z.nullable(z.number()) }),
  }),
});

/** Asks for a transaction until its program has confirmed it. */
async function waitForReward(url: string, key: string, { call, now, pause }: SyntheticDeps): Promise<void> {
  const untilMs = now().getTime() + timingMs.syntheticReward;
  for (;;) {
    const { data } = parse('reward', await call({ method: 'GET', url, key }), Transaction);
    const { transaction_status: status, reward_amount: points } = data.reward_transaction;
    if (status === transactionStatus.completed && points !== null && points > 0) return;
    const isOpen = status === transactionStatus.initiated || status === transactionStatus.pending;
    if (!isOpen || now().getTime() >= untilMs) {
      throw new SyntheticStepError('reward', { status: 200, code: isOpen ? 'pending too long' : `status ${status}` });
    }
    await pause(timingMs.syntheticPoll);
  }
}

const Begun = z.object({ data: z.object({ connect_token: z.string() }) });
const Linked = z.object({ data: z.object({ code: z.string() }) });
const Exchanged = z.object({ access_token: z.string() });

/** The member's token: the remembered one, or a new one by way of the connect flow. */
async function tokenFor({ hosts, apiKey, account }: SyntheticTenant, { memory, call }: SyntheticDeps): Promise<string> {
  if (memory.token !== undefined && memory.apiKey === apiKey) return memory.token;
  const post = (path: string, request: Partial<HostRequest>) =>
    call({ method: 'POST', url: `${hosts.base}${path}`, ...request });

  const begun = await post('/auth/connect', { key: apiKey, json: { user: { external_id: 'synthetic' } } });
  const { connect_token: connectToken } = parse('connect', begun, Begun).data;
  const proof = { partner_id: account.partnerId, member_id: account.memberId, proof: account.pin };
  const { code } = parse('link', await post(`/connect/${connectToken}/link`, { json: proof }), Linked).data;
  const exchange = await post('/oauth/token', { key: apiKey, form: { grant_type: 'authorization_code', code } });
  const { access_token: token } = parse('token', exchange, Exchanged);
  Object.assign(memory, { token, apiKey });
  return token;
}

const ErrorReply = z.object({ error: z.optional(z.string()), code: z.optional(z.string()) });

/** @throws SyntheticStepError for a reply that is not a success, or that lacks what a merchant reads */
function parse<Schema extends z.ZodMiniType>(
  step: string,
  { status, body }: Awaited<ReturnType<CallHost>>,
  schema: Schema,
): z.infer<Schema> {
  const parsed = status === 200 ? schema.safeParse(body) : undefined;
  if (parsed?.success) return parsed.data;
  const { error, code = 'unknown reply' } = ErrorReply.safeParse(body).data ?? {};
  throw new SyntheticStepError(step, { status, code: error ?? code });
}
