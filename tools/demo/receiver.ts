import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { waitLimitMs } from './client.ts';

/** A received webhook. */
export interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: string;
  readonly event: { readonly event: string; readonly entity: number; readonly entity_id: string };
}

/** Opens a partner's webhook endpoint. It replies 204 immediately and collects the webhooks. */
export async function openReceiver() {
  const received: ReceivedWebhook[] = [];
  const arrivals = new EventTarget();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const rawBody = Buffer.concat(chunks).toString('utf8');
    response.writeHead(204).end();
    received.push({ headers: request.headers, rawBody, event: JSON.parse(rawBody) });
    arrivals.dispatchEvent(new Event('arrival'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${portOf(server)}/webhooks`,
    /** Returns the first webhook that matches. Waits if it has not arrived yet. */
    async waitFor(name: string, matches: (webhook: ReceivedWebhook) => boolean): Promise<ReceivedWebhook> {
      const deadline = AbortSignal.timeout(waitLimitMs);
      for (;;) {
        const found = received.find(matches);
        if (found) return found;
        await once(arrivals, 'arrival', { signal: deadline }).catch(() => {
          throw new Error(`no webhook ${name} arrived within ${waitLimitMs / 1000} seconds`);
        });
      }
    },
    /** Returns the entity ids of the webhooks that have arrived so far for the event `name`. */
    entitiesOf: (name: string): string[] =>
      received.filter(({ event }) => event.event === name).map(({ event }) => event.entity_id),
    async close(): Promise<void> {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

export type Receiver = Awaited<ReturnType<typeof openReceiver>>;

/** Verifies a webhook by the steps of the specification ("Events", "Verification"). */
export function isVerifiedBySpecification({ headers, rawBody }: ReceivedWebhook, salt: string): boolean {
  const timestamp = String(headers['x-platform-timestamp']);
  const expected = createHmac('sha256', salt)
    .update(timestamp + rawBody)
    .digest();
  const actual = Buffer.from(String(headers['x-platform-signature']), 'hex');
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

/** Verifies a webhook with a Standard Webhooks library. */
export function isVerifiedByLibrary({ headers, rawBody }: ReceivedWebhook, secret: string): boolean {
  try {
    new Webhook(secret).verify(rawBody, toTextHeaders(headers));
    return true;
  } catch {
    return false;
  }
}

function toTextHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the webhook endpoint listens on no port');
  return address.port;
}
