import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A webhook as it arrived. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: string;
  readonly event: { readonly event: string; readonly entity: number; readonly entity_id: string };
}

const waitLimitMs = 15_000;

/** A partner's webhook endpoint: it answers 204 at once and keeps what it got. */
export async function openReceiver() {
  const received: Received[] = [];
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
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    /** The first webhook that fits, be it there already or still to come. */
    async waitFor(what: string, fits: (webhook: Received) => boolean): Promise<Received> {
      const deadline = AbortSignal.timeout(waitLimitMs);
      for (;;) {
        const found = received.find(fits);
        if (found) return found;
        await once(arrivals, 'arrival', { signal: deadline }).catch(() => {
          throw new Error(`no webhook ${what} arrived within ${waitLimitMs / 1000} seconds`);
        });
      }
    },
    /** What the webhooks of an event that arrived so far are about. */
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

/** Verifies a webhook by nothing but the specification ("Events", "Verification"). */
export function verifiesBySpecification({ headers, rawBody }: Received, salt: string): boolean {
  const timestamp = String(headers['x-platform-timestamp']);
  const expected = createHmac('sha256', salt)
    .update(timestamp + rawBody)
    .digest();
  const actual = Buffer.from(String(headers['x-platform-signature']), 'hex');
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

/** Verifies a webhook with a Standard Webhooks library. */
export function verifiesByLibrary({ headers, rawBody }: Received, secret: string): boolean {
  try {
    new Webhook(secret).verify(rawBody, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}
