import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { codeHostOf, contracts } from '../../functions/contracts.ts';
import { digestOf, secretText } from '../../shared/store/credential/credentials.ts';
import { type Answer, call, type Request } from '../support/call.ts';
import { createByToken, issueToken } from '../support/story.ts';
import { makeWorld, type World } from '../support/world.ts';

/** The specification's table of errors ("Errors", 2), row by row, with the message of each row. */

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

interface Row {
  readonly endpoint: number;
  readonly status: number;
  readonly identifier: string;
  /** The condition, in words. */
  readonly when: string;
  readonly request: () => Promise<Request>;
}

/** The table's endpoints, each with a valid request. */
const endpoints: Readonly<Record<number, { host: string; name: string; fine: () => Request }>> = {
  1: {
    host: 'reward',
    name: 'authenticate-transaction',
    fine: () => ({ headers: user(), body: { transaction_amount: 1, external_transaction_id: randomUUID() } }),
  },
  2: {
    host: 'reward',
    name: 'create-transaction',
    fine: () => ({ headers: user(), body: { reward_authentication_token: 'x' } }),
  },
  3: {
    host: 'base',
    name: 'send-trigger',
    fine: () => ({
      params: { id: world.demo.partnership.uuid },
      headers: key(),
      body: { trigger_name: world.demo.trigger.name },
    }),
  },
  4: { host: 'base', name: 'get-user', fine: () => ({ params: { id: ada().uuid }, headers: key() }) },
  5: { host: 'user', name: 'get-user-status', fine: () => ({ params: { id: String(ada().id) }, headers: user() }) },
  6: {
    host: 'base',
    name: 'get-partnership',
    fine: () => ({ params: { id: world.demo.partnership.uuid }, headers: key() }),
  },
  7: { host: 'base', name: 'get-transaction', fine: () => ({ params: { id: absent }, headers: key() }) },
  9: { host: 'campaign', name: 'list-campaigns', fine: () => ({ query: { campaign_types: '1' }, headers: key() }) },
  13: {
    host: 'notification',
    name: 'subscribe-webhook',
    fine: () => ({ headers: key(), body: { endpoint: 'https://hooks.example.com/' } }),
  },
  14: {
    host: 'notification',
    name: 'update-webhook',
    fine: () => ({ headers: key(), body: { endpoint: 'https://hooks.example.com/' } }),
  },
};

const absent = '0190163d-8694-739b-aea5-966c26f8ad91';
const ada = () => world.demo.members[0] as World['demo']['members'][number];
const key = (apiKey = world.demo.merchant.apiKey) => ({ 'x-api-key': apiKey });
const user = () => key(ada().accessToken);
const unknown = () => key(secretText('partnerKey', 'local', randomBytes(32)));

/** Creates a key whose item in the table is invalid. */
async function damagedKey(): Promise<string> {
  const secret = secretText('partnerKey', 'local', randomBytes(32));
  const item = { pk: `CREDENTIAL#${digestOf(secret)}`, sk: 'CREDENTIAL', kind: 'nonsense' };
  await world.platform.table.write({ kind: 'put', item });
  return secret;
}

/** Returns the contract of a row's endpoint. */
function contractOf(endpoint: number) {
  const wanted = endpoints[endpoint];
  const contract = contracts.find(({ host, name }) => host === wanted?.host && name === wanted.name);
  if (!contract || !wanted) throw new Error(`there is no endpoint ${endpoint}`);
  return { contract, fine: wanted.fine };
}

type Change = () => Partial<Request> | Promise<Partial<Request>>;

/** Builds a row from a valid request and one change. */
function row(endpoint: number, status: number, identifier: string, when: string, change: Change): Row {
  const request = async () => ({ ...contractOf(endpoint).fine(), ...(await change()) });
  return { endpoint, status, identifier, when, request };
}

const unknownKey = (endpoint: number, status: number, identifier: string) =>
  row(endpoint, status, identifier, 'the key is unknown', () => ({ headers: unknown() }));
const otherKind = (endpoint: number, identifier: string) =>
  row(endpoint, 401, identifier, 'the key is of the other kind', () => {
    const isUsers = contractOf(endpoint).contract.credential.kind === 'userToken';
    return { headers: isUsers ? key() : user() };
  });
const damaged = (endpoint: number) =>
  row(endpoint, 500, 'unexpected_error', 'an item of the table is damaged', async () => ({
    headers: key(await damagedKey()),
  }));

const absentEntity = () => ({ params: { id: absent } });
const contradicting = () => ({
  body: { endpoint: 'https://hooks.example.com/', event_name: 'campaign_updated', entity_type: 1 },
});

async function spentToken() {
  const token = await issueToken(world, randomUUID());
  await createByToken(world, token);
  return { body: { reward_authentication_token: token } };
}

async function subscribedAlready() {
  const body = { endpoint: 'https://hooks.example.com/', event_name: 'campaign_ended' };
  await ask(contractOf(13).contract, { headers: key(), body });
  return { body };
}

const rows: Row[] = [
  ...[3, 4, 5, 6, 7, 9, 2].flatMap((endpoint) => [
    unknownKey(endpoint, 400, 'invalid_token'),
    otherKind(endpoint, 'unauthorized_request'),
  ]),
  row(3, 404, 'partnership_does_not_exist', 'the partnership does not exist', absentEntity),
  row(4, 404, 'user_does_not_exist', 'the user does not exist', absentEntity),
  row(5, 404, 'user_does_not_exist', 'the token belongs to another user', () => ({ params: { id: '1' } })),
  row(6, 404, 'partnership_does_not_exist', 'the partnership does not exist', absentEntity),
  row(7, 404, 'transaction_does_not_exist', 'the transaction does not exist', absentEntity),
  row(9, 404, 'campaign_does_not_exist', 'no campaign has the requested type', () => ({
    query: { campaign_types: '3' },
  })),
  unknownKey(1, 401, 'unauthorized_user'),
  otherKind(1, 'unauthorized_user'),
  damaged(1),
  row(2, 400, 'invalid_token', 'the transaction token is unknown', () => ({})),
  row(2, 409, 'transaction_already_exists', 'the token was spent', spentToken),
  row(13, 400, 'invalid_subscription', 'event and entity do not belong together', contradicting),
  row(
    13,
    400,
    'subscription_already_exists',
    'the organisation has a subscription to the event already',
    subscribedAlready,
  ),
  row(14, 400, 'invalid_subscription', 'event and entity do not belong together', contradicting),
  row(14, 404, 'event_not_exists', 'the organisation has no subscription to the event', () => ({
    body: { endpoint: '', event_name: 'campaign_activated' },
  })),
  ...[13, 14].flatMap((endpoint) => [
    unknownKey(endpoint, 401, 'unauthorized_partner'),
    otherKind(endpoint, 'unauthorized_partner'),
    damaged(endpoint),
  ]),
];

async function ask(contract: (typeof contracts)[number], request: Request): Promise<Answer> {
  const { handler } = await import(`../../functions/${codeHostOf(contract)}/${contract.name}/handler.ts`);
  return call(handler, contract, request);
}

describe('the error table', () => {
  it.each(rows)(
    'endpoint $endpoint returns $status $identifier when $when',
    async ({ endpoint, status, identifier, request }) => {
      const { contract } = contractOf(endpoint);
      const answer = await ask(contract, await request());
      const field = endpoint === 3 || endpoint === 7 ? 'code' : 'error';
      expect([answer.status, answer.body[field]]).toEqual([status, identifier]);
      expect(Object.keys(answer.body).sort()).toEqual(
        [field, 'message', 'request_id', ...('errors' in answer.body ? ['errors'] : [])].sort(),
      );
      expect(answer.body.message).toEqual(expect.any(String));
    },
  );
});
