import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { close, listen, toUrl } from '../local/ports.ts';

/** The parts of the seeded world that the purchases need. */
export interface World {
  readonly partner: { readonly apiKey: string };
  readonly campaigns: { readonly earn: number };
  /** The first member has an account in the partner's program. */
  readonly members: readonly { readonly accessToken: string }[];
}

/** The result of a purchase. */
interface Purchase {
  /** The integer id of the purchase's transaction; undefined until a request succeeds. */
  readonly transactionId: number | undefined;
  /** Each reply with a status other than 200, and each broken connection. */
  readonly failures: readonly string[];
}

export interface TrafficReport {
  readonly purchases: number;
  readonly repeated: number;
  readonly lost: readonly string[];
}

const attempts = 20;
const pauseMs = 250;
const buyers = 2;
const settleLimitMs = 120_000;
/** Endpoint 7's status of a transaction that the program has confirmed. */
const completed = 3;
const expectedEvents = ['transaction_created', 'transaction_status_updated'];

/**
 * Makes purchases through the hosts until it is stopped. Several buyers buy at the same time, each of them one purchase
 * after the other.
 */
export class Traffic {
  readonly #hosts: Readonly<Record<string, string>>;
  readonly #world: World;
  readonly #purchases: Purchase[] = [];
  /** The names of the events that webhooks reported. The keys are the UUIDs of the transactions. */
  readonly #heard = new Map<string, Set<string>>();
  readonly #settled = new Set<number>();
  readonly #receiver: Server;
  #isOver = false;
  #buyers: readonly Promise<void>[] = [];

  constructor(hosts: Readonly<Record<string, string>>, world: World) {
    this.#hosts = hosts;
    this.#world = world;
    this.#receiver = createServer(async (request, response) => {
      const { event, entity_id: id } = Object(await json(request));
      this.#heard.set(id, (this.#heard.get(id) ?? new Set()).add(event));
      response.end('{}');
    });
  }

  /** The number of accepted purchases. */
  get accepted(): number {
    return this.#purchases.filter(({ transactionId }) => transactionId !== undefined).length;
  }

  async start(): Promise<void> {
    const endpoint = `${toUrl(await listen(this.#receiver))}/hooks`;
    const { status } = await this.#post('notification/webhooks/subscribe', this.#world.partner.apiKey, { endpoint });
    if (status !== 200) throw new Error(`the subscription of webhooks was answered with ${status}`);
    const key = this.#world.members[0]?.accessToken ?? '';
    this.#buyers = Array.from({ length: buyers }, () => this.#buyOn(key));
  }

  /** Stops making purchases. Then waits until each accepted purchase is completed and webhooks have reported it. */
  async stop(signal: AbortSignal): Promise<TrafficReport> {
    await this.end();
    const deadline = performance.now() + settleLimitMs;
    let lost = await this.#findLost();
    while (lost.length > 0 && performance.now() < deadline) {
      await sleep(pauseMs, undefined, { signal });
      lost = await this.#findLost();
    }
    await close(this.#receiver);
    const repeated = this.#purchases.filter(({ failures }) => failures.length > 0).length;
    return { purchases: this.#purchases.length, repeated, lost };
  }

  /** Stops making purchases. */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#buyers);
  }

  async #buyOn(key: string): Promise<void> {
    while (!this.#isOver) this.#purchases.push(await this.#buy(key));
  }

  /** Makes one purchase as a merchant's server does: a failed request is sent again with the same keys. */
  async #buy(key: string): Promise<Purchase> {
    const failures: string[] = [];
    const order = {
      transaction_amount: 10,
      external_transaction_id: randomUUID(),
      campaign_id: this.#world.campaigns.earn,
    };
    const send = async (path: string, body: object) => {
      const idempotencyKey = randomUUID();
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        const reply = await this.#post(path, key, body, { 'idempotency-key': idempotencyKey }).catch(String);
        if (typeof reply !== 'string' && reply.status === 200) return JSON.parse(reply.text).data;
        failures.push(typeof reply === 'string' ? reply : `${path}: ${reply.status} ${reply.text}`);
        await sleep(pauseMs);
      }
      return undefined;
    };
    const token = (await send('reward/reward_transaction/auth', order))?.authentication_id;
    if (token === undefined) return { transactionId: undefined, failures };
    const created = await send('reward/reward_transaction/create', { reward_authentication_token: token });
    return { transactionId: created?.reward_transactions[0].id, failures };
  }

  /** Describes each purchase that was never accepted, is not completed, or was not reported. */
  async #findLost(): Promise<string[]> {
    const lost: string[] = [];
    for (const { transactionId: id, failures } of this.#purchases) {
      if (id === undefined) lost.push(`a purchase was never accepted: ${failures.at(-1)}`);
      else if (!this.#settled.has(id)) lost.push(...(await this.#findMissing(id)));
    }
    return lost;
  }

  async #findMissing(id: number): Promise<string[]> {
    const headers = { 'x-api-key': this.#world.partner.apiKey };
    const reply = await fetch(`${this.#hosts.base}/transactions/${id}`, { headers });
    const { uuid_id: uuid, transaction_status: status } = JSON.parse(await reply.text()).data?.reward_transaction ?? {};
    if (status !== completed) return [`transaction ${id} has the status ${status ?? `unknown: HTTP ${reply.status}`}`];
    const missing = expectedEvents.filter((event) => !this.#heard.get(uuid)?.has(event));
    if (missing.length === 0) this.#settled.add(id);
    return missing.map((event) => `no webhook ${event} about transaction ${id}`);
  }

  /** @param path the host's name and the path on it */
  async #post(path: string, key: string, body: object, headers: Record<string, string> = {}) {
    const [host = '', ...rest] = path.split('/');
    const reply = await fetch(`${this.#hosts[host]}/${rest.join('/')}`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return { status: reply.status, text: await reply.text() };
  }
}
