import { randomUUID } from 'node:crypto';
import { getSilently, type Reply, send, toKeyHeader, waitFor } from '../../demo/client.ts';
import { beQuiet } from '../../demo/narrator.ts';
import type { LocalPlatform, Member } from '../../demo/platform.ts';
import { openReceiver } from '../../demo/receiver.ts';

/** The requests of the demonstration, in a form that many clients can send at the same time. */

/** The times of one purchase. */
interface Purchase {
  readonly endpoint1Ms: number;
  readonly endpoint2Ms: number;
  readonly transactionId: number;
}

/** A client that has the credentials of the demonstration. */
export class Client {
  readonly #platform: LocalPlatform;
  readonly #buyer: Member;
  readonly #customers: readonly Member[];
  /** The number of requests with the expected reply so far. */
  requestCount = 0;

  constructor(platform: LocalPlatform) {
    const [buyer] = platform.demo.members;
    if (!buyer) throw new Error('the platform has no demonstration');
    this.#platform = platform;
    this.#buyer = buyer;
    this.#customers = platform.demo.members;
    beQuiet();
  }

  async #send(...request: Parameters<typeof send>): Promise<Reply> {
    const reply = await send(...request);
    this.requestCount += 1;
    return reply;
  }

  /** Makes a purchase with endpoints 1 and 2, and measures them. */
  async buy(campaign: 'earn' | 'redeem', amount: number): Promise<Purchase> {
    const { hosts, demo } = this.#platform;
    const headers = toKeyHeader(this.#buyer.accessToken);
    const startedAt = performance.now();
    const asked = await this.#send(200, 'POST', `${hosts.reward}/reward_transaction/auth`, {
      headers,
      json: {
        transaction_amount: amount,
        external_transaction_id: randomUUID(),
        campaign_id: demo.campaigns[campaign],
      },
    });
    const askedAt = performance.now();
    const json = { reward_authentication_token: asked.body.data.authentication_id };
    const url = `${hosts.reward}/reward_transaction/create`;
    const created = await this.#send(200, 'POST', url, { headers, json });
    const endedAt = performance.now();
    return {
      endpoint1Ms: askedAt - startedAt,
      endpoint2Ms: endedAt - askedAt,
      transactionId: created.body.data.reward_transactions[0].id,
    };
  }

  /**
   * Sends every request of the demonstration once: a purchase, a payment with points, an order, a trigger event, and
   * all requests that read them.
   */
  async visit(): Promise<void> {
    const { hosts, demo } = this.#platform;
    const merchant = toKeyHeader(demo.merchant.apiKey);
    const earned = await this.buy('earn', 42.5);
    await this.buy('redeem', 0.5);
    await this.#order(merchant);
    await this.#signUp(merchant);

    const basic = Buffer.from(`${demo.merchant.clientId}:${demo.merchant.clientSecret}`).toString('base64');
    const { body: token } = await this.#send(200, 'POST', `${hosts.base}/oauth/token`, {
      headers: { authorization: `Basic ${basic}` },
      form: { grant_type: 'client_credentials' },
    });
    const bearer = { authorization: `Bearer ${token.access_token}` };
    const partner = toKeyHeader(demo.partner.apiKey);
    const member = toKeyHeader(this.#buyer.accessToken);
    const reads: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
      [`${hosts.user}/users/${this.#buyer.id}`, member],
      [`${hosts.base}/users/${this.#buyer.uuid}`, merchant],
      [`${hosts.base}/partnerships/${demo.partnership.uuid}`, partner],
      [`${hosts.campaign}/campaigns?campaign_types=1`, merchant],
      [`${hosts.campaign}/templates`, bearer],
      [`${hosts.notification}/webhooks`, merchant],
      [`${hosts.reward}/transactions/${earned.transactionId}`, bearer],
      [`${hosts.base}/transactions/${earned.transactionId}`, partner],
    ];
    for (const [url, headers] of reads) await this.#send(200, 'GET', url, { headers });
  }

  /** Creates an order with endpoint 11, and reads it. */
  async #order(headers: Readonly<Record<string, string>>): Promise<void> {
    const { order } = this.#platform.hosts;
    const customer = this.#customers.at(-1);
    const id = randomUUID();
    await this.#send(200, 'POST', `${order}/orders/external`, {
      headers,
      json: {
        user: { merchant_external_id: customer?.externalId },
        order_external_id: id,
        transaction_total: 5_400,
        transaction_subtotal: 5_000,
      },
    });
    await this.#send(200, 'GET', `${order}/orders/external/${id}`, { headers });
  }

  /** Simulates a campaign for a trigger event, and then sends this event to endpoint 3. */
  async #signUp(headers: Readonly<Record<string, string>>): Promise<void> {
    const { hosts, demo } = this.#platform;
    const json = {
      trigger_name: 'signup_completed',
      external_user_id: this.#buyer.externalId,
      transaction_context: { plan: 'yearly', seats: 1 },
    };
    const { uuid } = demo.partnership;
    const simulated = { ...json, partnership_id: uuid, campaign_id: demo.campaigns.signup };
    await this.#send(200, 'POST', `${hosts.campaign}/campaigns/simulate`, { headers, json: simulated });
    await this.#send(200, 'POST', `${hosts.base}/partnerships/${uuid}/triggers`, { headers, json });
  }

  /** Waits until the loyalty program has confirmed a purchase, so that earlier work does not disturb a measurement. */
  async waitForCompletion({ transactionId }: Purchase): Promise<void> {
    const { hosts, demo } = this.#platform;
    const url = `${hosts.base}/transactions/${transactionId}`;
    await waitFor(async () => {
      const { body } = await getSilently(url, toKeyHeader(demo.partner.apiKey));
      return body.data?.reward_transaction.transaction_status === 3 ? true : undefined;
    }, `transaction ${transactionId} was not completed`);
  }
}

/** Subscribes a receiver to all events of the merchant. Returns the function that closes it. */
export async function receiveWebhooks({ hosts, demo }: LocalPlatform): Promise<() => Promise<void>> {
  const receiver = await openReceiver();
  await send(200, 'POST', `${hosts.notification}/webhooks/subscribe`, {
    headers: toKeyHeader(demo.merchant.apiKey),
    json: { endpoint: receiver.url },
  });
  return () => receiver.close();
}
