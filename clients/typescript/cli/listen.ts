import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRewardsClient, RewardsApiError, type RewardsClient, unwrap } from '../src/index.ts';
import { verifyWebhook, WebhookVerificationError } from '../src/webhooks.ts';
import { announceListener, type Environment, removeListener, UsageError } from './environment.ts';
import type { EventName } from './events.ts';

export interface ListenOptions extends Environment {
  /** Only this event; by default all events. */
  readonly event?: EventName | undefined;
  /** The URL to which each verified webhook is forwarded. Without it, webhooks are only printed. */
  readonly forwardTo?: string | undefined;
  /** By default, a free port. */
  readonly port?: number | undefined;
  /** A public address of this port, for platforms that do not run on this machine. */
  readonly publicUrl?: string | undefined;
  /** Called with each webhook after the listener has answered it. */
  readonly onDelivery: (delivery: ReceivedDelivery) => void;
}

/** A webhook that arrived. */
export interface ReceivedDelivery {
  readonly at: Date;
  readonly event: string;
  readonly entity: number;
  readonly entityId: string;
  readonly eventId: string;
  /** The status of the listener's reply to the platform. */
  readonly status: number;
  /** Why the listener refused the webhook or could not forward it; undefined on success. */
  readonly problem?: string;
}

/** A listener that runs. */
export interface Listener {
  readonly url: string;
  /** The salt of the listener's subscription: the signatures of forwarded webhooks are made with it. */
  readonly salt: string;
  /** Deletes the subscription and stops. */
  close(): Promise<void>;
}

/** The path of every listener begins with this text. A subscription whose URL contains it was made by a listener. */
const listenerPath = '/rewards-listen/';

const forwardLimitMs = 10_000;

/**
 * Subscribes a port of this machine to an organisation's webhooks. Each webhook is verified, then forwarded with its
 * headers, except those of the connection. The platform receives the application's reply, and retries as in production.
 *
 * @throws UsageError when the organisation already has a subscription to these events
 */
export async function startListener(options: ListenOptions): Promise<Listener> {
  const { hosts, partnerKey, event, port = 0, publicUrl, listenerFile } = options;
  const { notification } = createRewardsClient({ hosts, partnerKey });
  const salt = Promise.withResolvers<string>();
  const path = `${listenerPath}${randomUUID()}`;
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await request.toArray());
    // Waits for the salt: the first webhook may arrive before the reply to the subscription, which contains the salt.
    const received = await receive(request, { path, body, salt: await salt.promise, forwardTo: options.forwardTo });
    response.writeHead(received.status).end();
    if (received.delivery) options.onDelivery({ ...received.delivery, status: received.status });
  };
  // A request that breaks off does not stop the listener. The platform sends the webhook again.
  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const origin = publicUrl ?? `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}`;
  const url = `${origin.replace(/\/$/, '')}${path}`;

  const stop = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  try {
    const subscribed = await subscribe(notification, url, event);
    salt.resolve(subscribed);
    announceListener(listenerFile, { url, salt: subscribed });
    return {
      url,
      salt: subscribed,
      close: async () => {
        removeListener(listenerFile);
        await endSubscription(notification, url, event).finally(stop);
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Notification = RewardsClient['notification'];

/** Subscribes the URL and returns the salt. Replaces the subscription of a listener that was killed. */
async function subscribe(notification: Notification, endpoint: string, event: EventName | undefined): Promise<string> {
  const body = { endpoint, ...(event !== undefined && { event_name: event }) };
  const first = await notification.POST('/webhooks/subscribe', { body });
  if (first.response.status !== 400) return unwrap(first).data.salt;
  const { identifier, message } = new RewardsApiError(first.response.status, first.error);
  if (identifier !== 'subscription_already_exists') throw new UsageError(message);
  const used = await findEndpoint(notification, event);
  if (!used?.includes(listenerPath) || (await isAnswering(used))) {
    throw new UsageError(
      `the organisation sends these events to ${used ?? 'another endpoint'} already: listen to one event with --event, or as the other organisation with --as`,
    );
  }
  await unsubscribe(notification, event);
  return unwrap(await notification.POST('/webhooks/subscribe', { body })).data.salt;
}

/** The URL of the subscription to an event, or to all events. */
async function findEndpoint(notification: Notification, event: EventName | undefined): Promise<string | undefined> {
  const { data } = unwrap(await notification.GET('/webhooks'));
  return data.subscriptions.find((each) => each.event_name === (event ?? null) && each.entity_type === null)?.endpoint;
}

/** Whether the listener at the URL is running: a server answers there. A reply with an error status counts too. */
const isAnswering = (url: string): Promise<boolean> =>
  fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(2_000) }).then(
    () => true,
    () => false,
  );

/** Deletes the subscription if it leads to this listener's URL. Another listener may have replaced it. */
async function endSubscription(notification: Notification, url: string, event: EventName | undefined): Promise<void> {
  if ((await findEndpoint(notification, event)) === url) await unsubscribe(notification, event);
}

/** An empty endpoint deletes the subscription (endpoint 14). */
async function unsubscribe(notification: Notification, event: EventName | undefined): Promise<void> {
  const body = { endpoint: '', ...(event !== undefined && { event_name: event }) };
  unwrap(await notification.PUT('/webhooks/subscribe', { body }));
}

interface Receiving {
  readonly path: string;
  readonly body: Buffer;
  readonly salt: string;
  readonly forwardTo: string | undefined;
}

async function receive(
  { url, headers }: IncomingMessage,
  { path, body, salt, forwardTo }: Receiving,
): Promise<{ readonly status: number; readonly delivery?: Omit<ReceivedDelivery, 'status'> }> {
  if (url !== path) return { status: 404 };
  try {
    const { event, entity, entity_id: entityId, eventId } = verifyWebhook({ headers, body, salt });
    const delivery = { at: new Date(), event, entity, entityId, eventId };
    if (forwardTo === undefined) return { status: 204, delivery };
    const { status, problem } = await forward(forwardTo, headers, body);
    return { status, delivery: { ...delivery, ...(problem !== undefined && { problem }) } };
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    const unknown = { event: '?', entity: 0, entityId: '?', eventId: '?' };
    return { status: 401, delivery: { at: new Date(), ...unknown, problem: error.message } };
  }
}

/** Headers of the connection itself. They are not forwarded, because the forwarded request has its own. */
const connectionHeaders = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'expect']);

async function forward(
  url: string,
  headers: IncomingMessage['headers'],
  body: Buffer,
): Promise<{ readonly status: number; readonly problem?: string }> {
  const passed = Object.entries(headers).filter(([name]) => !connectionHeaders.has(name));
  try {
    const { status } = await fetch(url, {
      method: 'POST',
      headers: passed.map(([name, value]): [string, string] => [name, String(value)]),
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(forwardLimitMs),
    });
    return { status };
  } catch (error) {
    return { status: 502, problem: `${url} does not answer: ${error instanceof Error ? error.message : error}` };
  }
}
