import http, { type Agent, type ClientRequest } from 'node:http';
import https from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';
import { maximumBytes, maximumCount } from '../contracts/limits.ts';
import {
  type AttemptOutcome,
  type EndpointReply,
  type ErrorClass,
  readReply,
  type Timing,
  type Verdict,
  verdictOf,
} from './attempt-outcome.ts';
import { type Destination, ForbiddenAddressError, UnresolvedHostError } from './destination.ts';

/** One request on one connection. */
export interface PostPlan {
  readonly destination: Destination;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** A keep-alive agent, or false for a new connection. */
  readonly agent: Agent | false;
  readonly excerptBytes: number;
  readonly lookup: LookupFunction;
  /** Whether a connection to an address is not allowed. */
  readonly isForbidden: (address: string) => boolean;
  /** Only for https. */
  readonly secureContext: SecureContext | undefined;
  readonly deadlineMs: number;
  readonly now: () => Date;
}

interface PostEnd {
  readonly verdict: Verdict;
  /** Whether the endpoint had closed the idle connection before the request, and so did not receive the request. */
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
  let provisionalReplies = 0;

  const judge = ({ status, retryAfter }: EndpointReply, isReusable: boolean) =>
    ended.resolve({ verdict: verdictOf(status, retryAfter, plan.now()), isReusable });
  const fail = (errorClass: ErrorClass) => {
    // An error after a complete reply does not change the outcome: the endpoint may send more bytes, such as a body
    // with the status 204.
    if (reply?.isComplete) return judge(reply, false);
    const isStale = request.reusedSocket && !reply && errorClass === 'reset';
    const status = reply && { status: reply.status };
    ended.resolve({ verdict: { result: 'failed', errorClass, ...status }, isStale });
  };

  // A separate timer, because Node's own timeouts begin only with a socket and start again with every byte.
  const timer = setTimeout(() => fail('timeout'), plan.deadlineMs);
  const trace = traceAttempt(request, (address) => {
    if (address !== undefined && !plan.isForbidden(address)) return;
    request.destroy();
    // A connection that the endpoint has already reset has no address that could be checked.
    if (address === undefined) fail(request.reusedSocket ? 'reset' : 'connect');
    else fail('forbidden');
  });
  request.on('error', (error) => fail(errorClassOf(error, trace.stage)));
  request.on('close', () => fail('reset'));
  request.on('information', () => {
    provisionalReplies += 1;
    if (provisionalReplies > maximumCount.provisionalReplies) fail('protocol');
  });
  request.on('response', (response) => {
    trace.replied();
    const read = readReply(response, plan.excerptBytes, (end) => {
      if (end === 'broken') return fail('reset');
      // Destroys the request at once. Otherwise the client would keep the connection when the rest of the body has
      // arrived.
      if (end === 'enough') request.destroy();
      // An endpoint may reply before it has read the whole request. Then the rest of the request occupies the
      // connection.
      judge(read, end === 'complete' && request.writableFinished);
    });
    reply = read;
  });
  request.end(plan.body);

  const { verdict, isStale = false, isReusable = false } = await ended.promise;
  clearTimeout(timer);
  if (!isReusable) request.destroy();
  return { outcome: { ...verdict, timing: trace.timing, address: trace.address, excerpt: reply?.excerpt }, isStale };
}

function openRequest({ destination, headers, agent, lookup, secureContext }: PostPlan): ClientRequest {
  const { protocol, hostname, port, path, servername } = destination;
  const options = {
    method: 'POST',
    protocol,
    hostname,
    port,
    path,
    servername,
    headers,
    agent,
    lookup,
    maxHeaderSize: maximumBytes.webhookReplyHead,
  };
  const securedOptions = { ...options, secureContext };
  return protocol === 'http:' ? http.request(options) : https.request(securedOptions);
}

const classByStage = { connecting: 'connect', securing: 'tls', ready: 'reset' } as const;

function errorClassOf(error: NodeJS.ErrnoException, stage: AttemptTrace['stage']): ErrorClass {
  if (error instanceof ForbiddenAddressError) return 'forbidden';
  if (error instanceof UnresolvedHostError) return 'dns';
  return error.code?.startsWith('HPE_') ? 'protocol' : classByStage[stage];
}

/** The progress of an attempt, updated while its connection goes through its stages. */
interface AttemptTrace {
  /** `connecting`: no connection yet. `securing`: TLS handshake, only for https. `ready`: the request can be sent. */
  readonly stage: 'connecting' | 'securing' | 'ready';
  readonly address: string | undefined;
  readonly timing: Timing;
  /** Records the arrival of the reply's head. */
  replied(): void;
}

const elapsed = (from: number | undefined, to: number | undefined) =>
  from === undefined || to === undefined ? undefined : Math.round((to - from) * 10) / 10;

/**
 * Follows the connection of a request.
 * @param onConnected called with the address as soon as the connection exists, before the first byte of the request is
 *   sent
 */
function traceAttempt(request: ClientRequest, onConnected: (address: string | undefined) => void): AttemptTrace {
  const startedAt = performance.now();
  const at: { lookup?: number; connect?: number; secure?: number; reply?: number } = {};
  let address: string | undefined;
  const isEncrypted = request.protocol === 'https:';

  const connected = (socket: Socket) => {
    address = socket.remoteAddress;
    onConnected(address);
  };
  const mark = (stage: keyof typeof at) => () => {
    at[stage] ??= performance.now();
  };

  request.once('socket', (socket: Socket | TLSSocket) => {
    if (!socket.connecting) return connected(socket);
    socket.once('lookup', mark('lookup'));
    socket.once('secureConnect', mark('secure'));
    // `connected` runs before the listener that begins the TLS handshake, so that a forbidden address receives no byte
    // of it.
    socket.prependOnceListener('connect', () => {
      mark('connect')();
      connected(socket);
    });
  });

  return {
    get stage() {
      if (address === undefined) return 'connecting';
      return isEncrypted && !request.reusedSocket && at.secure === undefined ? 'securing' : 'ready';
    },
    get address() {
      return address;
    },
    get timing() {
      return {
        dnsMs: elapsed(startedAt, at.lookup),
        connectMs: elapsed(at.lookup ?? startedAt, at.connect),
        tlsMs: elapsed(at.connect, at.secure),
        firstByteMs: elapsed(at.secure ?? at.connect ?? startedAt, at.reply),
        totalMs: elapsed(startedAt, performance.now()) ?? 0,
      };
    },
    replied: mark('reply'),
  };
}
