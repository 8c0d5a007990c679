import http from 'node:http';
import https from 'node:https';
import { maximumCount, webhookMs } from '../contracts/limits.ts';
import { forbiddenAddressReason } from './address.ts';
import { bareHost, checkEndpointUrl, type EndpointPolicy, isTrustedHost } from './endpoint-url.ts';
import { type ExchangePlan, exchange } from './exchange.ts';
import { guardedLookup, nameServerResolver, type ResolveHost } from './guarded-lookup.ts';
import type { PostOutcome } from './post-outcome.ts';

/** What one attempt sends where. */
export interface Outgoing {
  readonly endpointUrl: string;
  /** The signature's headers; those that every delivery has are added. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface PosterOptions {
  readonly policy: EndpointPolicy;
  readonly now: () => Date;
  /** For all of an attempt, name resolution and the answer's body included; 5 s unless said. */
  readonly deadlineMs?: number;
  /** Answers for hosts that are names; the name servers unless said. */
  readonly resolve?: ResolveHost;
  /** PEM of a certificate authority to trust instead of the public ones. */
  readonly ca?: string;
}

/** Makes attempts, over connections that it keeps. */
export interface Poster {
  /** One attempt. Whatever the endpoint does becomes an outcome; never rejects for it. */
  post(outgoing: Outgoing): Promise<PostOutcome>;
  /** Closes the kept connections. */
  close(): void;
}

const keptConnections = {
  keepAlive: true,
  maxFreeSockets: maximumCount.idleConnections,
  timeout: webhookMs.idleConnection,
};

/**
 * The engine of every attempt. It keeps to what checkEndpointUrl allows, checks each address before and
 * after connecting, follows no redirect, and is bounded in time and memory by nobody but itself
 * (docs/architecture/webhooks.md, "Deliveries").
 */
export function createPoster({
  policy,
  now,
  deadlineMs = webhookMs.attemptDeadline,
  resolve,
  ca,
}: PosterOptions): Poster {
  const lookup = guardedLookup(policy, resolve ?? nameServerResolver());
  const agents = { 'http:': new http.Agent(keptConnections), 'https:': new https.Agent(keptConnections) };

  return {
    async post({ endpointUrl, headers, body }) {
      // Checked again although it was when it was registered: the rules may have become stricter since.
      const checked = checkEndpointUrl(endpointUrl, policy);
      if (!checked.allowed) return refused;

      const { url } = checked;
      const trusted = isTrustedHost(bareHost(url), policy);
      const startedAt = performance.now();
      const plan: ExchangePlan = {
        url,
        headers: { ...commonHeaders(body), ...headers },
        body,
        agent: agents[url.protocol as keyof typeof agents],
        lookup,
        forbidden: (address) => (trusted ? undefined : forbiddenAddressReason(address ?? '')),
        ca,
        deadlineMs,
        now,
      };

      const first = await exchange(plan);
      if (!first.stale) return first.outcome;
      // Not the endpoint's fault, and no attempt: it closed an idle connection as we were taking it up.
      const leftMs = Math.max(0, deadlineMs - (performance.now() - startedAt));
      return (await exchange({ ...plan, agent: false, deadlineMs: leftMs })).outcome;
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

const refused: PostOutcome = { result: 'failed', errorClass: 'forbidden', timing: { totalMs: 0 } };

function commonHeaders(body: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'accept-encoding': 'identity',
    'user-agent': 'RewardsPlatform-Webhooks/1',
  };
}
