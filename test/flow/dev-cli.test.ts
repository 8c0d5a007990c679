import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type ReceivedDelivery, startListener } from '../../clients/typescript/cli/listen.ts';
import {
  createBearerToken,
  createRewardsClient,
  createUserToken,
  items,
  type UserTokens,
  unwrap,
  waitForTransaction,
} from '../../clients/typescript/src/index.ts';
import { cannot, useFlow } from './support/flow.ts';

const flow = useFlow();

it.skipIf(cannot.receiveWebhooks)('a developer’s local listener receives the webhooks of a purchase', async () => {
  const arrivals = new EventTarget();
  const received: ReceivedDelivery[] = [];
  const listener = await startListener({
    hosts: flow.hosts,
    partnerKey: flow.demo.merchant.apiKey,
    listenerFile: join(mkdtempSync(join(tmpdir(), 'dev-cli-')), 'listener.json'),
    onDelivery: (delivery) => {
      received.push(delivery);
      arrivals.dispatchEvent(new Event('arrival'));
    },
  });
  try {
    const rewards = createRewardsClient({
      hosts: flow.hosts,
      partnerKey: flow.demo.merchant.apiKey,
      userToken: flow.member.accessToken,
    });
    const { data: asked } = unwrap(
      await rewards.reward.POST('/reward_transaction/auth', {
        body: {
          transaction_amount: 12,
          external_transaction_id: `listened-${Date.now()}`,
          campaign_id: flow.demo.campaigns.earn,
        },
      }),
    );
    const { data: created } = unwrap(
      await rewards.reward.POST('/reward_transaction/create', {
        body: { reward_authentication_token: asked.authentication_id },
      }),
    );
    const id = String(created.reward_transactions[0]?.id);
    const found = await waitForTransaction(() => rewards.base.GET('/transactions/{id}', { params: { path: { id } } }));
    expect(found.transaction_status).toBe(3);
    while (!received.some(({ event, entityId }) => event === 'transaction_created' && entityId === found.uuid_id)) {
      await once(arrivals, 'arrival', { signal: AbortSignal.timeout(20_000) });
    }
    expect(received.every(({ status, problem }) => status === 204 && problem === undefined)).toBe(true);
  } finally {
    await listener.close();
  }
});

it('the typed client gets a bearer token and reads a whole list', async () => {
  const { clientId, clientSecret, apiKey } = flow.demo.merchant;
  const client = { baseUrl: flow.hosts.base, clientId, clientSecret };
  const rewards = createRewardsClient({ hosts: flow.hosts, partnerKey: apiKey, bearer: createBearerToken(client) });
  const templates = unwrap(await rewards.campaign.GET('/templates'));
  expect(templates.campaigns.length).toBeGreaterThan(0);

  const names: string[] = [];
  const query = { campaign_types: '1,2', limit: 1 };
  const list = (cursor: string | undefined) =>
    rewards.campaign.GET('/campaigns', { params: { query: cursor === undefined ? query : { ...query, cursor } } });
  for await (const { name } of items(list, ({ data }) => data.campaigns)) names.push(name);
  expect(names.length).toBeGreaterThanOrEqual(2);
  expect(new Set(names).size).toBe(names.length);
});

it('the typed client refreshes the tokens of a user, and continues with the new tokens', async () => {
  const { clientId, clientSecret } = flow.demo.merchant;
  const { id, accessToken, refreshToken } = flow.member;
  const stored: UserTokens[] = [];
  const userToken = createUserToken({
    ...{ baseUrl: flow.hosts.base, clientId, clientSecret },
    tokens: { accessToken, refreshToken, expiresAt: new Date(0) },
    store: (tokens) => void stored.push(tokens),
  });
  const rewards = createRewardsClient({ hosts: flow.hosts, userToken });
  const read = () => rewards.user.GET('/users/{id}', { params: { path: { id } } });
  const replies = await Promise.all([read(), read()]);
  expect(replies.map((reply) => unwrap(reply).data.user.id)).toEqual([id, id]);
  expect(stored).toHaveLength(1);
  expect(stored[0]?.accessToken).not.toBe(accessToken);
});
