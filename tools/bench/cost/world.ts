import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { contract as issueToken } from '../../../functions/base/issue-token/contract.ts';
import { contracts } from '../../../functions/contracts.ts';
import { contract as authenticate } from '../../../functions/reward/authenticate-transaction/contract.ts';
import { contract as create } from '../../../functions/reward/create-transaction/contract.ts';
import type { AnyContract, HostContract } from '../../../shared/contracts/contract.ts';
import { composePlatform, type Platform } from '../../../shared/runtime/platform.ts';
import { readConfig } from '../../../shared/runtime/runtime.ts';
import { type Answer, call, type Request } from '../../../test/support/call.ts';
import { createPlatformTable } from '../../../test/support/create-table.ts';
import { makeDemoWorld } from '../../admin/demo/world.ts';
import type { DynamoDbCall } from '../../local/dynamodb/call.ts';
import { startDynamoDbProxy } from '../../local/dynamodb/proxy.ts';
import { createEventBus } from '../../local/eventbridge/bus.ts';
import { createEventBridgeServer } from '../../local/eventbridge/server.ts';
import { createSecretsServer } from '../../local/secrets/server.ts';
import { type Bundles, folderOf, freshHandler } from '../bundles.ts';

/** The demonstration's world. Its table is behind a proxy that records every call. */
export interface CostWorld {
  readonly bundles: Bundles;
  readonly demo: Awaited<ReturnType<typeof makeDemoWorld>>;
  readonly platform: Platform;
  /** Every call to DynamoDB so far. */
  readonly calls: readonly DynamoDbCall[];
  /** Sends a request that has to precede the measured request. Throws when the reply is no success. */
  readonly play: (contract: HostContract, request: Request) => Promise<Answer>;
  stop(): Promise<void>;
}

export interface CostWorldOptions {
  /** Base URL of a DynamoDB Local. */
  readonly dynamoDbEndpoint: string;
  /** The built endpoints. */
  readonly bundles: Bundles;
  /** The delay of every call. By default it is much longer than the time to send several calls, so that they overlap. */
  readonly delayMs?: number;
}

const overlappingMs = 90;

/** Makes the world of the endpoints. */
export async function openCostWorld(options: CostWorldOptions): Promise<CostWorld> {
  const { dynamoDbEndpoint, bundles, delayMs = overlappingMs } = options;
  const calls: DynamoDbCall[] = [];
  const tableName = `bench-${randomUUID()}`;
  const onCall = (made: DynamoDbCall): unknown => calls.push(made);
  const proxy = await startDynamoDbProxy({ target: dynamoDbEndpoint, delayMs, onCall });
  const secrets = createSecretsServer();
  const home = { accountId: '000000000000', region: 'us-east-1' };
  const bus = createEventBus({ ...home, buses: ['bench'], rules: [], deliver: async () => undefined });
  const events = createEventBridgeServer(bus);

  Object.assign(process.env, environment(tableName, proxy.endpoint), {
    AWS_ENDPOINT_URL_SECRETS_MANAGER: await secrets.listen(),
    AWS_ENDPOINT_URL_EVENTBRIDGE: await events.listen(),
    BUS_NAME: 'bench',
  });
  await createPlatformTable(new DynamoDBClient({ endpoint: dynamoDbEndpoint }), tableName);
  const platform = composePlatform(readConfig(process.env));
  const demo = await makeDemoWorld(platform);
  const handlers = new Map(contracts.map((contract) => [contract, freshHandler(bundles, folderOf(contract))]));

  const play = async (contract: HostContract, request: Request): Promise<Answer> =>
    requireSuccess(contract, await call(handlers.get(contract), contract, request));
  const stop = async () => {
    await Promise.all([proxy.stop(), secrets.close(), events.close()]);
  };
  return { bundles, demo, platform, calls, play, stop };
}

/** @throws Error when the request failed: the cost of a failed request shows nothing */
export function requireSuccess(contract: AnyContract, answer: Answer): Answer {
  if (answer.status === 200 || answer.status === 303) return answer;
  throw new Error(`${folderOf(contract)} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
}

function environment(tableName: string, endpoint: string): Record<string, string> {
  return {
    // The longest name of a stage. Every token contains the name, so items have their largest size.
    STAGE: 'production',
    TABLE_NAME: tableName,
    BASE_URL: 'https://base.rewards.example/production',
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    POWERTOOLS_SERVICE_NAME: 'bench',
    POWERTOOLS_METRICS_NAMESPACE: 'bench',
    POWERTOOLS_METRICS_DISABLED: 'true',
    POWERTOOLS_LOG_LEVEL: 'SILENT',
  };
}

/** A kind of request to measure. */
export interface Scenario {
  readonly contract: HostContract;
  /** Distinguishes the scenarios of one endpoint; empty when the endpoint has only one. */
  readonly name: string;
  /**
   * Sends the requests that have to precede the measured request, and returns the measured request. `nth` distinguishes
   * requests.
   */
  readonly prepare: (world: CostWorld, nth: number) => Promise<Request>;
}

export const scenario = (contract: HostContract, name: string, prepare: Scenario['prepare']): Scenario => ({
  contract,
  name,
  prepare,
});

/** The organisations and members of the world. Their data is constant, so the cost of a request is constant. */
type Demo = CostWorld['demo'];

/** A purchase under one campaign. */
export interface Order {
  readonly campaign: 'earn' | 'redeem';
  readonly order: string;
  /** Dollars. */
  readonly amount?: number;
}

/** The member that is linked to the partner and has points. */
export function member({ members: [ada] }: Demo): Demo['members'][number] {
  if (!ada) throw new Error('the demonstration has no members');
  return ada;
}

/** A member for one scenario, which changes the member's items. No other scenario uses this member. */
export function otherMember({ members: [, bob] }: Demo): Demo['members'][number] {
  if (!bob) throw new Error('the demonstration has one member');
  return bob;
}

const userToken = (demo: Demo) => ({ 'x-api-key': member(demo).accessToken });

export const partnerKey = (demo: Demo) => ({ 'x-api-key': demo.merchant.apiKey });

export function authentication({ demo }: CostWorld, { campaign, order, amount = 7.5 }: Order): Request {
  return {
    headers: userToken(demo),
    body: { transaction_amount: amount, external_transaction_id: order, campaign_id: demo.campaigns[campaign] },
  };
}

/** Calls endpoint 1 and returns the token. */
export async function reserved(world: CostWorld, order: Order): Promise<string> {
  return (await world.play(authenticate, authentication(world, order))).body.data.authentication_id;
}

/** A request of endpoint 2. */
export function creation({ demo }: CostWorld, authenticationId: string, idempotencyKey?: string): Request {
  return {
    headers: { ...userToken(demo), ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }) },
    body: { reward_authentication_token: authenticationId },
  };
}

/** Calls endpoints 1 and 2 and returns the transaction's integer id. */
export async function transactionId(world: CostWorld, order: string): Promise<string> {
  const token = await reserved(world, { campaign: 'redeem', order });
  const created = await world.play(create, creation(world, token));
  return String(created.body.data.reward_transactions[0].id);
}

export function clientCredentials({ merchant: { clientId, clientSecret } }: Demo): Request {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  return { headers: { Authorization: `Basic ${basic}` }, body: 'grant_type=client_credentials' };
}

const bearers = new WeakMap<CostWorld, Promise<string>>();

/** The merchant's bearer token. All requests have the same token, so a function can have it in memory. */
export async function bearer(world: CostWorld): Promise<{ readonly Authorization: string }> {
  const issued = bearers.get(world) ?? world.play(issueToken, clientCredentials(world.demo)).then(accessToken);
  bearers.set(world, issued);
  return { Authorization: `Bearer ${await issued}` };
}

const accessToken = ({ body }: Awaited<ReturnType<CostWorld['play']>>): string => body.access_token;

/** The events that are subscribed. An organisation can have one subscription for each event. */
const subscribed = ['transaction_authenticated', 'transaction_created'] as const;

export function subscription({ apiKey }: { readonly apiKey: string }, nth: number, path = '/rewards'): Request {
  return {
    headers: { 'x-api-key': apiKey },
    body: { endpoint: `https://hooks.example.com${path}`, event_name: subscribed[nth] },
  };
}
