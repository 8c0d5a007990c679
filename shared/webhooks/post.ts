import http from 'node:http';
import https from 'node:https';
import { createSecureContext } from 'node:tls';
import { maximumBytes, maximumCount, webhookMs } from '../contracts/limits.ts';
import { memoize, once } from '../domain/memoize.ts';
import { forbiddenAddressReason } from './address.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';
import {
  type EndpointPolicy,
  guardedLookup,
  nameServerResolver,
  type ResolveHost,
  toDestination,
} from './destination.ts';
import { type PostPlan, postOnce } from './post-once.ts';

/** The request of one attempt. */
export interface DeliveryRequest {
  readonly endpointUrl: string;
  /** The headers of the signature; the common headers are added. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface PosterOptions {
  readonly policy: EndpointPolicy;
  readonly now: () => Date;
  /** The deadline of the whole attempt, including name resolution and the body of the reply. */
  readonly deadlineMs?: number;
  /** Resolves host names; the name servers by default. */
  readonly resolve?: ResolveHost;
  /** PEM of a certificate authority to trust instead of the public ones. */
  readonly ca?: string;
  /** The name of the client in `user-agent`. */
  readonly userAgent?: string;
  /** How much of a reply's body to keep; 512 bytes by default. */
  readonly excerptBytes?: number;
  /**
   * Whether connections are kept for the next request. If the other side closes a kept connection just as it is reused,
   * the request is sent once more, although the first request may have arrived.
   */
  readonly keepsConnections?: boolean;
  /**
   * When more connections are open than this, a connection is closed after its request; `openConnections` by default.
   */
  readonly maximumConnections?: number;
}

/** Posts deliveries, over kept connections where possible. */
export interface Poster {
  /** Makes one attempt. A failure of the endpoint is an outcome, never a rejection. */
  post(request: DeliveryRequest): Promise<AttemptOutcome>;
  /** Closes the kept connections. */
  close(): void;
}

/**
 * Creates the client of all endpoints. It posts only to URLs that checkEndpointUrl allows. It checks each address
 * before and after connecting, follows no redirect, and limits the time and the memory of each attempt
 * (docs/architecture/webhooks.md, "Deliveries").
 */
export function createPoster({
  policy,
  now,
  deadlineMs = webhookMs.attemptDeadline,
  resolve,
  ca,
  userAgent = 'RewardsPlatform-Webhooks/1',
  excerptBytes = maximumBytes.webhookReplyExcerpt,
  keepsConnections = true,
  maximumConnections = maximumCount.openConnections,
}: PosterOptions): Poster {
  const lookup = guardedLookup(policy, resolve ?? nameServerResolver());
  const agents = createAgents(maximumConnections);
  // The context is made once, because making one reads all certificate authorities.
  const secureContext = once(() => createSecureContext({ minVersion: 'TLSv1.2', ca }));
  // The URL was also checked at registration, but the rules may have become stricter since.
  const destinationOf = memoize((endpointUrl) => toDestination(endpointUrl, policy));
  const isForbidden = memoize((address) => forbiddenAddressReason(address) !== undefined);

  return {
    async post({ endpointUrl, headers, body }) {
      const destination = destinationOf(endpointUrl);
      if (destination === 'forbidden') return forbidden;

      const { protocol } = destination;
      const startedAt = performance.now();
      const plan: PostPlan = {
        destination,
        headers: {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
          'accept-encoding': 'identity',
          'user-agent': userAgent,
          ...headers,
        },
        body,
        agent: keepsConnections && agents[protocol],
        excerptBytes,
        lookup,
        isForbidden: destination.isTrusted ? () => false : isForbidden,
        secureContext: protocol === 'https:' ? secureContext() : undefined,
        deadlineMs,
        now,
      };

      const first = await postOnce(plan);
      if (!first.isStale) return first.outcome;
      // The endpoint closed an idle connection just as it was reused. This is not counted as an attempt: send once
      // more.
      const leftMs = Math.max(0, deadlineMs - (performance.now() - startedAt));
      return (await postOnce({ ...plan, agent: false, deadlineMs: leftMs })).outcome;
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

const forbidden: AttemptOutcome = { result: 'failed', errorClass: 'forbidden', timing: { totalMs: 0 } };

const agentOptions = {
  keepAlive: true,
  maxFreeSockets: maximumCount.idleConnections,
  timeout: webhookMs.idleConnection,
};

/**
 * Creates the agents that keep connections open. When more than `maximumConnections` are open, a connection is closed
 * after its request, because a process may open only so many files. Node's own limit would make a request wait for a
 * connection of another endpoint.
 */
function createAgents(maximumConnections: number): Readonly<Record<'http:' | 'https:', http.Agent>> {
  let open = 0;

  const bound = (agent: http.Agent): http.Agent => {
    const createConnection = agent.createConnection.bind(agent);
    const keepSocketAlive: (...args: Parameters<http.Agent['keepSocketAlive']>) => unknown =
      agent.keepSocketAlive.bind(agent);
    return Object.assign(agent, {
      createConnection: (...args: Parameters<typeof createConnection>) => {
        const socket = createConnection(...args);
        open += 1;
        socket?.once('close', () => {
          open -= 1;
        });
        return socket;
      },
      keepSocketAlive: (...args: Parameters<typeof keepSocketAlive>) =>
        open <= maximumConnections && keepSocketAlive(...args),
    });
  };

  return { 'http:': bound(new http.Agent(agentOptions)), 'https:': bound(new https.Agent(agentOptions)) };
}
