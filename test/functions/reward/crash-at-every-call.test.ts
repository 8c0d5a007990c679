import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract as authenticateContract } from '../../../functions/reward/authenticate-transaction/contract.ts';
import { handler as authenticateHandler } from '../../../functions/reward/authenticate-transaction/handler.ts';
import { contract as createContract } from '../../../functions/reward/create-transaction/contract.ts';
import { handler as createHandler } from '../../../functions/reward/create-transaction/handler.ts';
import { issueUserTokens } from '../../../shared/operations/member/issue-user-tokens.ts';
import { createMember } from '../../../shared/operations/member/manage-members.ts';
import { Faults } from '../../../tools/local/dynamodb/faults.ts';
import { type DynamoDbProxy, startDynamoDbProxy } from '../../../tools/local/dynamodb/proxy.ts';
import { type Answer, call, eventOf, type Request } from '../../support/call.ts';
import { type Mortal, type MortalRequest, Mortals } from '../../support/mortals.ts';
import { faultsOf, readBooks, reconcile } from '../../support/reconcile.ts';
import { expireLocks } from '../../support/test-table.ts';
import { makeWorld, type World } from '../../support/world.ts';

/**
 * Kills the worker by SIGKILL before or after each of its DynamoDB calls, and retries the request:
 * the final state is correct, and the events match this state exactly.
 */

const faults = new Faults(1);
let world: World;
let proxy: DynamoDbProxy;
let mortals: Mortals;
let victim: Mortal | undefined;

beforeAll(async () => {
  world = await makeWorld({ isServed: true });
  const kill = async () => victim?.kill();
  proxy = await startDynamoDbProxy({ target: world.table.endpoint, faults, kill });
  mortals = await Mortals.prepare({ ...process.env, AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint });
}, 60_000);
afterAll(async () => {
  await mortals.stop();
  await proxy.stop();
});

const endpoints = {
  authenticateTransaction: { handler: authenticateHandler, contract: authenticateContract },
  createTransaction: { handler: createHandler, contract: createContract },
} as const;

/** A customer with 10,000 points who calls endpoints 1 and 2. */
interface Shopper {
  readonly id: number;
  readonly call: (handler: MortalRequest['handler'], request: Request) => Promise<Answer>;
  /** Sends the call to a separate process. Returns undefined when that process died. */
  readonly callMortal: (handler: MortalRequest['handler'], request: Request) => Promise<number | undefined>;
}

async function aShopper(): Promise<Shopper> {
  const externalId = randomUUID();
  const merchantId = world.demo.merchant.id;
  const member = await createMember(
    {
      firstName: 'Mary',
      lastName: 'Somerville',
      email: 'mary@example.com',
      merchant: { id: merchantId, externalId },
      program: { partnerId: world.demo.partner.id, externalId, statusTierId: null, points: 10_000 },
    },
    world.platform,
  );
  const { accessToken } = await issueUserTokens({ member, merchantId }, world.platform);
  const signed = (request: Request) => ({ ...request, headers: { ...request.headers, 'x-api-key': accessToken } });
  return {
    id: member.user.id,
    call: (name, request) => call(endpoints[name].handler, endpoints[name].contract, signed(request)),
    callMortal: async (handler, request) => {
      victim = await mortals.next();
      const reply = await victim.answer({ handler, event: eventOf(endpoints[handler].contract, signed(request)) });
      await victim.kill();
      return reply?.statusCode;
    },
  };
}

/** A call, the expected reply to its retry, and the expected final state. */
interface Scenario {
  readonly handler: MortalRequest['handler'];
  readonly prepare: (shopper: Shopper) => Promise<Request>;
  readonly expectAnswer: (answer: Answer) => void;
  readonly states: readonly string[];
}

const order = (campaign: 'earn' | 'redeem', dollars: number, name: string = randomUUID()): Request => ({
  body: { transaction_amount: dollars, external_transaction_id: name, campaign_id: world.demo.campaigns[campaign] },
});

async function tokenFor(shopper: Shopper, headers = {}): Promise<Request> {
  const { body } = await shopper.call('authenticateTransaction', order('redeem', 80));
  return { headers, body: { reward_authentication_token: body.data.authentication_id } };
}

const isAuthenticated = ({ status, body }: Answer) =>
  expect([status, body.data.authentication_status]).toEqual([200, 1]);

const scenarios: Readonly<Record<string, Scenario>> = {
  'endpoint 1, earning': {
    handler: 'authenticateTransaction',
    prepare: async () => order('earn', 10),
    expectAnswer: isAuthenticated,
    states: ['INITIATED'],
  },
  'endpoint 1, redeeming most of the balance': {
    handler: 'authenticateTransaction',
    prepare: async () => order('redeem', 80),
    expectAnswer: isAuthenticated,
    states: ['INITIATED'],
  },
  'endpoint 1, replacing a reservation by a larger one': {
    handler: 'authenticateTransaction',
    prepare: async (shopper) => {
      const name = randomUUID();
      await shopper.call('authenticateTransaction', order('redeem', 70, name));
      return order('redeem', 80, name);
    },
    expectAnswer: isAuthenticated,
    states: ['CANCELLED', 'INITIATED'],
  },
  'endpoint 2': {
    handler: 'createTransaction',
    prepare: (shopper) => tokenFor(shopper),
    expectAnswer: ({ status, body }) => expect([200, 409]).toContain(body.error === 'invalid_token' ? body : status),
    states: ['PENDING'],
  },
  'endpoint 2 with an Idempotency-Key': {
    handler: 'createTransaction',
    prepare: (shopper) => tokenFor(shopper, { 'Idempotency-Key': randomUUID() }),
    expectAnswer: ({ status, body }) =>
      expect([status, body.data?.reward_transactions?.[0]]).toMatchObject([200, { reward_amount: 8_000, status: 1 }]),
    states: ['PENDING'],
  },
};

/** Kills the worker at its nth call and retries. Returns false when there was no nth call. */
async function dieAt(nth: number, fault: 'killBefore' | 'killAfter', scenario: Scenario): Promise<boolean> {
  const shopper = await aShopper();
  const request = await scenario.prepare(shopper);
  faults.clear();
  const death = faults.add({ fault, nth });

  const status = await shopper.callMortal(scenario.handler, request);
  expect(status).toBe(death.hits === 0 ? 200 : undefined);
  expect(await reconcile(world.table)).toEqual([]);
  if (death.hits === 0) return false;

  if (request.headers?.['Idempotency-Key']) await expireLocks(world.table);
  scenario.expectAnswer(await shopper.call(scenario.handler, request));
  const books = await readBooks(world.table);
  expect(faultsOf(books)).toEqual([]);
  const own = books.transactions.filter(({ userId }) => userId === shopper.id);
  expect(own.map(({ state }) => state).sort()).toEqual(scenario.states);
  return true;
}

describe.each(Object.entries(scenarios))('%s', (_name, scenario) => {
  it.each(['killBefore', 'killAfter'] as const)(
    'has the right reply and state when repeated after a crash at any DynamoDB call (%s)',
    async (fault) => {
      let deaths = 0;
      while (await dieAt(deaths + 1, fault, scenario)) deaths += 1;

      expect(deaths).toBeGreaterThanOrEqual(3);
    },
    60_000,
  );
});
