import http, { type Agent, type ClientRequest } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { maximumBytes, maximumCount, webhookMs } from '../contracts/limits.ts';
import { forbiddenAddressReason } from './address.ts';
import {
  type AttemptOutcome,
  type EndpointReply,
  type ErrorClass,
  readReply,
  type Verdict,
  verdictOf,
} from './attempt-outcome.ts';
import { type AttemptTrace, traceAttempt } from './attempt-trace.ts';
import { bareHost, checkEndpointUrl, type EndpointPolicy, isTrustedHost } from './endpoint-url.ts';
import {
  ForbiddenAddressError,
  guardedLookup,
  nameServerResolver,
  type ResolveHost,
  UnresolvedHostError,
} from './guarded-lookup.ts';

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
}

/** Posts deliveries, over kept connections where possible. */
export interface Poster {
  /** Makes one attempt. A failure of the endpoint is an outcome, never a rejection. */
  post(request: DeliveryRequest): Promise<AttemptOutcome>;
  /** Closes the kept connections. */
  close(): void;
}

const keptConnections = {
  keepAlive: true,
  maxFreeSockets: maximumCount.idleConnections,
  timeout: webhookMs.idleConnection,
};

/**
 * Creates the client of all endpoints. It posts only to URLs that checkEndpointUrl allows, checks each address before
 * and after connecting, follows no redirect, and limits the time and the memory of each attempt
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
}: PosterOptions): Poster {
  const lookup = guardedLookup(policy, resolve ?? nameServerResolver());
  const agents = { http: new http.Agent(keptConnections), https: new https.Agent(keptConnections) };

  return {
    async post({ endpointUrl, headers, body }) {
      // The URL was also checked at registration, but the rules may have become stricter since.
      const checked = checkEndpointUrl(endpointUrl, policy);
      if (!checked.allowed) return forbidden;

      const { url } = checked;
      const isTrusted = isTrustedHost(bareHost(url), policy);
      const startedAt = performance.now();
      const plan: PostPlan = {
        url,
        headers: { ...commonHeaders(body), 'user-agent': userAgent, ...headers },
        body,
        agent: keepsConnections && (url.protocol === 'http:' ? agents.http : agents.https),
        excerptBytes,
        lookup,
        isForbidden: (address) => !isTrusted && forbiddenAddressReason(address ?? '') !== undefined,
        ca,
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
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

const forbidden: AttemptOutcome = { result: 'failed', errorClass: 'forbidden', timing: { totalMs: 0 } };

function commonHeaders(body: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'accept-encoding': 'identity',
  };
}

/** One request on one connection. */
export interface PostPlan {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** A keep-alive agent, or false for a new connection. */
  readonly agent: Agent | false;
  readonly excerptBytes: number;
  readonly lookup: LookupFunction;
  /** Whether a connection to an address is not allowed. */
  readonly isForbidden: (address: string | undefined) => boolean;
  readonly ca: string | undefined;
  readonly deadlineMs: number;
  readonly now: () => Date;
}

interface PostEnd {
  readonly verdict: Verdict;
  /** Whether the endpoint had closed the kept connection. Then it did not receive the request. */
  readonly isStale?: boolean;
  /** Whether the next request may use the connection. */
  readonly isReusable?: boolean;
}

/** Sends one request and reads its reply within the limits. Never rejects. */
export async function postOnce(
  plan: PostPlan,
): Promise<{ readonly outcome: AttemptOutcome; readonly isStale: boolean }> {
  const ended = Promise.withResolvers<PostEnd>();
  const request = openRequest(plan);
  let reply: EndpointReply | undefined;

  const fail = (errorClass: ErrorClass) => {
    const isStale = request.reusedSocket && !reply && errorClass === 'reset';
    const status = reply && { status: reply.status };
    ended.resolve({ verdict: { result: 'failed', errorClass, ...status }, isStale });
  };

  // A separate timer, because Node's own timeouts begin only with a socket and start again with every byte.
  const timer = setTimeout(() => fail('timeout'), plan.deadlineMs);
  const trace = traceAttempt(request, (address) => {
    if (!plan.isForbidden(address)) return;
    request.destroy();
    fail('forbidden');
  });
  request.on('error', (error) => fail(errorClassOf(error, trace.stage)));
  request.on('close', () => fail('reset'));
  request.on('response', (response) => {
    trace.replied();
    const read = readReply(response, plan.excerptBytes, (end) => {
      if (end === 'broken') return fail('reset');
      ended.resolve({ verdict: verdictOf(read.status, read.retryAfter, plan.now()), isReusable: end === 'complete' });
    });
    reply = read;
  });
  request.end(plan.body);

  const { verdict, isStale = false, isReusable = false } = await ended.promise;
  clearTimeout(timer);
  if (!isReusable) request.destroy();
  return { outcome: { ...verdict, timing: trace.timing, address: trace.address, excerpt: reply?.excerpt }, isStale };
}

function openRequest({ url, headers, agent, lookup, ca }: PostPlan): ClientRequest {
  const options = { method: 'POST', headers, agent, lookup, maxHeaderSize: maximumBytes.webhookReplyHead };
  if (url.protocol === 'http:') return http.request(url, options);
  return https.request(url, { ...options, minVersion: 'TLSv1.2', ca });
}

const classByStage = { connecting: 'connect', securing: 'tls', ready: 'reset' } as const;

function errorClassOf(error: NodeJS.ErrnoException, stage: AttemptTrace['stage']): ErrorClass {
  if (error instanceof ForbiddenAddressError) return 'forbidden';
  if (error instanceof UnresolvedHostError) return 'dns';
  return error.code?.startsWith('HPE_') ? 'protocol' : classByStage[stage];
}
