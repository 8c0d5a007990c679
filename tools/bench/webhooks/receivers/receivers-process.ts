import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { close, listen, toUrl } from '../../../local/ports.ts';
import { serve } from '../child-process.ts';
import { clockMs, isSigned, numberOf } from '../event.ts';
import { ArrivalLog, recordKind } from '../tally.ts';
import { type Behaviour, behave } from './behaviours.ts';

/** Of each endpoint's requests, the signature of one in this many is verified: the 1st, the 33rd, and so on. */
const verifiedShare = 32;

interface Endpoint {
  readonly number: number;
  readonly server: Server;
  behaviour: Behaviour;
  secret?: string;
  requests: number;
}

/** The number of verified signatures, and the number of wrong ones among them. */
export interface Verified {
  verified: number;
  wrong: number;
}

/**
 * At 100,000 requests per second, the log has room for at least one second. Its records are taken several times a
 * second.
 */
const log = new ArrivalLog(250_000);
const endpoints: Endpoint[] = [];
/**
 * How far the sender's clock is ahead. The check of signatures needs it, because signatures contain the sender's time.
 */
let aheadMs = 0;
const signatures: Verified = { verified: 0, wrong: 0 };

function receive(endpoint: Endpoint, request: IncomingMessage, response: ServerResponse): void {
  const at = clockMs();
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  // A sender that gives up closes its connection. That is no failure of the receiver.
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  request.on('end', () => {
    const event = numberOf(JSON.parse(body).entity_id);
    if (Number.isNaN(event)) return accept(response);
    const record = { endpoint: endpoint.number, event };
    log.add({ kind: recordKind.arrived, ...record, at });
    verifySome(endpoint, request, body);
    const answered = (): void => log.add({ kind: recordKind.answered, ...record, at: clockMs() });
    behave[endpoint.behaviour]({ response, answered });
  });
}

/** Answers an event that the sender itself added. Such an event is not counted. */
const accept = (response: ServerResponse): void => void response.writeHead(204).end();

function verifySome(endpoint: Endpoint, { headers }: IncomingMessage, body: string): void {
  endpoint.requests += 1;
  const { secret, requests } = endpoint;
  if (secret === undefined || requests % verifiedShare !== 1) return;
  signatures.verified += 1;
  const single = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value?.toString()]));
  if (!isSigned(single, body, { secret, now: new Date(Date.now() + aheadMs) })) signatures.wrong += 1;
}

async function openEndpoint(behaviour: Behaviour): Promise<string> {
  const server = createServer((request, response) => receive(endpoint, request, response));
  // An unused connection stays open longer than any pause of a scenario, so only the sender decides when it ends.
  server.keepAliveTimeout = 600_000;
  const endpoint: Endpoint = { number: endpoints.length, server, behaviour, requests: 0 };
  endpoints.push(endpoint);
  return `${toUrl(await listen(server))}/hooks/${endpoint.number}`;
}

const api = {
  /**
   * Opens endpoints, each with its own port, as each partner has its own host. They are numbered from `firstNumber` on.
   */
  open: async (wanted: readonly Behaviour[]): Promise<{ firstNumber: number; urls: string[] }> => {
    const firstNumber = endpoints.length;
    return { firstNumber, urls: await Promise.all(wanted.map(openEndpoint)) };
  },

  /** Changes an endpoint's behaviour, from its next request on. */
  change: (number: number, behaviour: Behaviour): void => {
    const endpoint = endpoints[number];
    if (!endpoint) throw new RangeError(`there is no endpoint ${number}`);
    endpoint.behaviour = behaviour;
  },

  /** From now on verifies a sample of the endpoint's requests. */
  verify: (number: number, secret: string): void => {
    const endpoint = endpoints[number];
    if (endpoint) endpoint.secret = secret;
  },

  /** Moves the clock by which signatures are verified. */
  advanceClock: (ms: number): void => {
    aheadMs += ms;
  },

  take: () => ({ records: log.take(), signatures }),

  /** Closes all endpoints. Records that were not taken are dropped. */
  closeAll: async (): Promise<void> => {
    await Promise.all(endpoints.splice(0).map(({ server }) => close(server)));
    log.take();
    aheadMs = 0;
    Object.assign(signatures, { verified: 0, wrong: 0 });
  },
};

/** The functions of the receivers' process. */
export type ReceiversApi = typeof api;

serve(api);
