import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { atOnce, type Done, purchaseCents, type ShopJob } from './jobs.ts';

interface Call {
  readonly url: string;
  readonly token: string;
  readonly body: object;
}

/** Makes purchases: endpoint 1, then endpoint 2, each member in turn. */
export async function shop({ host, campaignId, tokens, name, purchases, concurrency }: ShopJob): Promise<Done> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const orders = Array.from({ length: purchases }, (_, nth) => `${name}-${nth}`);
  try {
    return await atOnce(orders, concurrency, async (order, nth) => {
      const token = tokens[nth % tokens.length] ?? '';
      const asked = {
        transaction_amount: purchaseCents / 100,
        external_transaction_id: order,
        campaign_id: campaignId,
      };
      const { authentication_id } = await post<{ authentication_id: string }>(agent, {
        url: `${host}/reward_transaction/auth`,
        token,
        body: asked,
      });
      await post(agent, {
        url: `${host}/reward_transaction/create`,
        token,
        body: { reward_authentication_token: authentication_id },
      });
    });
  } finally {
    agent.destroy();
  }
}

/** @throws Error with the reply when it is no success: a purchase that was refused is none */
async function post<Data>(agent: Agent, { url, token, body }: Call): Promise<Data> {
  const payload = JSON.stringify(body);
  const { status, reply } = await new Promise<{ status: number | undefined; reply: string }>((resolve, reject) => {
    const headers = {
      'x-api-key': token,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(payload),
    };
    request(url, { method: 'POST', agent, headers }, (response) => {
      text(response).then((answer) => resolve({ status: response.statusCode, reply: answer }), reject);
    })
      .on('error', reject)
      .end(payload);
  });
  if (status !== 200) throw new Error(`${url} answered ${status}: ${reply}`);
  return (JSON.parse(reply) as { data: Data }).data;
}
