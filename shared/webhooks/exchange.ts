import http, { type Agent, type ClientRequest } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { maximumBytes } from '../contracts/limits.ts';
import { type Answer, readAnswer } from './answer.ts';
import { type AttemptTrace, traceAttempt } from './attempt-trace.ts';
import { ForbiddenAddressError, UnresolvedHostError } from './guarded-lookup.ts';
import { type ErrorClass, type PostOutcome, type Verdict, verdictOf } from './post-outcome.ts';

/** One request on one connection. */
export interface ExchangePlan {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** A keep-alive agent, or false for a connection of its own. */
  readonly agent: Agent | false;
  readonly lookup: LookupFunction;
  /** Why a connection to an address must not be used, or undefined. */
  readonly forbidden: (address: string | undefined) => string | undefined;
  /** PEM of a certificate authority to trust instead of the public ones. */
  readonly ca: string | undefined;
  readonly deadlineMs: number;
  readonly now: () => Date;
}

/** What became of an exchange. */
export interface Exchanged {
  readonly outcome: PostOutcome;
  /** A kept connection turned out to be closed by the other side: nobody has looked at the request. */
  readonly stale: boolean;
}

interface Ending {
  readonly verdict: Verdict;
  readonly stale?: boolean;
  /** The connection may serve the next request. */
  readonly reusable?: boolean;
}

/** Sends one request and reads its answer within the limits. Never rejects. */
export async function exchange(plan: ExchangePlan): Promise<Exchanged> {
  const ended = Promise.withResolvers<Ending>();
  const request = open(plan);
  let answer: Answer | undefined;

  const fail = (errorClass: ErrorClass) => {
    const stale = request.reusedSocket && !answer && errorClass === 'reset';
    const status = answer && { status: answer.status };
    ended.resolve({ verdict: { result: 'failed', errorClass, ...status }, stale });
  };

  // Its own timer, for Node's timeouts begin anew with every byte, and wait for a socket to report.
  const timer = setTimeout(() => fail('timeout'), plan.deadlineMs);
  const trace = traceAttempt(request, (address) => {
    if (!plan.forbidden(address)) return;
    request.destroy();
    fail('forbidden');
  });
  request.on('error', (error) => fail(errorClassOf(error, trace.stage)));
  request.on('close', () => fail('reset'));
  request.on('response', (response) => {
    trace.answered();
    const read = readAnswer(response, (end) => {
      if (end === 'broken') return fail('reset');
      ended.resolve({ verdict: verdictOf(read.status, read.retryAfter, plan.now()), reusable: end === 'complete' });
    });
    answer = read;
  });
  request.end(plan.body);

  const { verdict, stale = false, reusable = false } = await ended.promise;
  clearTimeout(timer);
  if (!reusable) request.destroy();
  return { outcome: { ...verdict, timing: trace.timing, address: trace.address, excerpt: answer?.excerpt }, stale };
}

function open({ url, headers, agent, lookup, ca }: ExchangePlan): ClientRequest {
  const options = { method: 'POST', headers, agent, lookup, maxHeaderSize: maximumBytes.webhookReplyHead };
  if (url.protocol === 'http:') return http.request(url, options);
  return https.request(url, { ...options, minVersion: 'TLSv1.2', ca });
}

function errorClassOf(error: NodeJS.ErrnoException, stage: AttemptTrace['stage']): ErrorClass {
  if (error instanceof ForbiddenAddressError) return 'forbidden';
  if (error instanceof UnresolvedHostError) return 'dns';
  if (error.code?.startsWith('HPE_')) return 'protocol';
  return ({ connecting: 'connect', securing: 'tls', ready: 'reset' } as const)[stage];
}
