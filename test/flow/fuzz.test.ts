import { request as open } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { contracts } from '../../functions/contracts.ts';
import type { HostContract } from '../../shared/contracts/contract.ts';
import { type Loot, materialFor } from '../conformance/fuzz/material.ts';
import { brokenPromise, type FuzzedReply } from '../conformance/fuzz/promise.ts';
import { type FuzzedRequest, requestsTo } from '../conformance/fuzz/requests.ts';
import { fc } from '../support/fast-check.ts';
import { useFlow } from './support/flow.ts';
import { send as sendWell } from './support/http.ts';

/** Sends hundreds of fuzzed requests over HTTP, with faults that only HTTP can carry. */

const requestsPerContract = 30;
const limitMs = 20_000;
const seed = fc.readConfigureGlobal().seed ?? Date.now() % 2 ** 31;
/** Identifiers of the gateway's own replies: unknown routes and malformed requests. */
const ofGateway = ['not_found', 'invalid_request', 'request_too_large'];

const flow = useFlow();
let loot: Loot;
beforeAll(async () => {
  process.stdout.write(`fuzz over HTTP: FC_SEED=${seed}\n`);
  const { demo, member } = flow;
  const key = demo.merchant.apiKey;
  const form = { grant_type: 'client_credentials' };
  const bearer = await sendWell('POST', `${flow.hosts.base}/oauth/token`, { key, form });
  const connect = await sendWell('POST', `${flow.hosts.base}/auth/connect`, {
    key,
    json: { redirect_uri: 'https://corner-coffee.example/connected' },
  });
  loot = {
    merchantKey: demo.merchant.apiKey,
    partnerKey: demo.partner.apiKey,
    userToken: member.accessToken,
    refreshToken: member.refreshToken,
    bearer: bearer.body.access_token,
    basic: Buffer.from(`${demo.merchant.clientId}:${demo.merchant.clientSecret}`).toString('base64'),
    connectToken: connect.body.data.connect_token,
    partnershipUuid: demo.partnership.uuid,
    campaignIds: Object.values(demo.campaigns),
    user: { ...member, linkId: 1 },
    transaction: { id: member.id, uuid: member.uuid },
    partnerId: demo.partner.id,
    transactionTokens: ['none'],
    webhook: { subscriptionId: member.uuid, eventId: member.uuid, replayId: member.uuid },
  };
});

type Transfer = 'whole' | 'chunked';

/** A reply, and the sizes of its request in bytes. */
interface SentReply extends FuzzedReply {
  readonly lineBytes: number;
  readonly headerBytes: number;
}

/** API Gateway replies itself to a request whose line or headers are longer. */
const gatewayLimitBytes = 10_240;

/** Returns whether a request is too long for API Gateway to read. If it is, checks the reply of API Gateway. */
function isUnreadable({ status, text: body, lineBytes, headerBytes }: SentReply): boolean {
  const [expected, message] =
    lineBytes > gatewayLimitBytes ? [414, 'An HTTP line is larger'] : [431, 'HTTP header is larger'];
  if (lineBytes <= gatewayLimitBytes && headerBytes <= gatewayLimitBytes) return false;
  expect({ status, ...JSON.parse(body) }).toEqual({ status: expected, message: `${message} than 10240 bytes.` });
  return true;
}

/** Leaves out headers that Node sets itself, and replaces characters that Node does not send. */
const sendable = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !/^(host|transfer-encoding|content-length|expect|connection)$/i.test(name))
      .map(([name, value]) => [name, value.replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/g, '?')]),
  );

/** The whitespace around a value is not part of it. */
const sizeOfHeader = ([name, value]: readonly [string, string | number]) =>
  Buffer.byteLength(`${name}: ${String(value).replaceAll(/^[ \t]+|[ \t]+$/g, '')}\r\n`, 'latin1');

function send(contract: HostContract, asked: FuzzedRequest, transfer: Transfer): Promise<SentReply> {
  const { hostname, port } = new URL(flow.hosts[contract.host]);
  const path = contract.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(asked.params[name] ?? ''),
  );
  const query = new URLSearchParams(asked.query).toString();
  const body = asked.body ?? '';
  const length =
    transfer === 'whole' ? { 'content-length': Buffer.byteLength(body) } : { 'transfer-encoding': 'chunked' };
  const target = query === '' ? path : `${path}?${query}`;
  const sent = { ...sendable(asked.headers), ...length };
  const lines = Object.entries({ ...sent, host: `${hostname}:${port}`, connection: 'close' });
  const sizes = {
    lineBytes: Buffer.byteLength(`${contract.method} ${target} HTTP/1.1`),
    headerBytes: lines.reduce((sum, line) => sum + sizeOfHeader(line), 0),
  };
  return new Promise((resolve, reject) => {
    const outgoing = open(
      {
        hostname,
        port,
        method: contract.method,
        path: target,
        headers: sent,
        agent: false,
        signal: AbortSignal.timeout(limitMs),
      },
      async (response) => {
        const headers = response.headers as FuzzedReply['headers'];
        resolve({ ...sizes, status: response.statusCode ?? 0, headers, text: await text(response) });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Whether the last parameter of a path is empty, and the rest is the path of a list. */
function isToList({ host, method, path }: HostContract, { params }: FuzzedRequest): boolean {
  const [, list, last = ''] = /^(.*)\/\{(\w+)\}$/.exec(path) ?? [];
  const hasList = contracts.some((other) => other.host === host && other.method === method && other.path === list);
  return hasList && params[last] === '';
}

describe('fuzzed requests over HTTP', () => {
  it.each(['constructor', '__proto__', 'toString'])(
    'succeed although a header and a parameter have the name %s',
    async (name) => {
      const [contract] = contracts.filter(({ path }) => path === '/partnerships/{id}');
      if (!contract) throw new Error('there is no such endpoint');
      const headers = Object.fromEntries([
        [name, 'x'],
        ['x-api-key', loot.merchantKey],
      ]);
      const query = Object.fromEntries([[name, 'x']]);
      const request = { params: { id: loot.partnershipUuid }, query, headers, body: null, isBase64Encoded: false };
      expect((await send(contract, request, 'whole')).status).toBe(200);
    },
  );

  it.each(contracts.map((contract) => [`${contract.method} ${contract.host}${contract.path}`, contract] as const))(
    'get only documented replies from %s',
    async (_, contract) => {
      const requests = requestsTo(contract, materialFor(contract, loot)).filter((one) => !isToList(contract, one));
      const transfers = fc.constantFrom<Transfer>('whole', 'chunked');
      await fc.assert(
        fc.asyncProperty(requests, transfers, async (request, transfer) => {
          const reply = await send(contract, request, transfer);
          if (!isUnreadable(reply)) expect(brokenPromise(contract, reply, ofGateway)).toBeUndefined();
        }),
        { seed, numRuns: requestsPerContract },
      );
    },
    120_000,
  );
});
