import { randomUUID } from 'node:crypto';
import { codeHostOf, contracts } from '../../functions/contracts.ts';
import { type AnyContract, hosts } from '../../shared/contracts/contract.ts';
import type { Subscription } from '../../shared/webhooks/subscription.ts';
import { type Answer, call, type Request } from './call.ts';
import { connectStory, openAccount } from './connect-story.ts';
import { anOrderBody, orderOf, postOrder } from './order-story.ts';
import { provisionOrganisation } from './provision.ts';
import { newShopper } from './shoppers.ts';
import { bearerOf, createTransaction } from './story.ts';
import { webhookStory } from './webhook-story.ts';
import type { World } from './world.ts';

/** The name of an endpoint's folder, such as `base/get-user`. */
export const endpointOf = ({ host, name }: AnyContract) => `${host}/${name}`;

/** Sends a request to an endpoint's handler in this process. */
export async function send(endpoint: string, request: Request): Promise<Answer> {
  const contract = contracts.find((each) => endpointOf(each) === endpoint);
  if (!contract) throw new Error(`there is no endpoint ${endpoint}`);
  const { handler } = await import(`../../functions/${codeHostOf(contract)}/${contract.name}/handler.ts`);
  return call(handler, contract, request);
}

export function withHeader(request: Request, name: string, value: string): Request {
  return { ...request, headers: { ...request.headers, [name]: value } };
}

/** An endpoint of a webhook subscription. */
export const endpointUrl = 'https://hooks.example.com/rewards';

/** Adds the key of a new merchant to a request. */
export async function asNewcomer({ platform }: World, request: Request): Promise<Request> {
  const { apiKey } = await provisionOrganisation(platform, { name: 'Newcomer', kind: 'MERCHANT' });
  return withHeader(request, 'x-api-key', apiKey);
}

/**
 * Returns a function for each endpoint. Each call of the function prepares a new request of the same kind. The endpoint
 * answers the request with success.
 */
export function requestsTo(world: World): Readonly<Record<string, () => Promise<Request>>> {
  const { merchant, partner, partnership, trigger, campaigns, members } = world.demo;
  const [member] = members;
  const asMerchant = (request: Request): Request => withHeader(request, 'x-api-key', merchant.apiKey);
  const asMember = (request: Request): Request => withHeader(request, 'x-api-key', member?.accessToken ?? '');
  const asBearer = async (request: Request) =>
    withHeader(request, 'Authorization', `Bearer ${await bearerOf(merchant)}`);

  const aPurchase = (): Request => ({
    // The amount is small, because some tests reserve the points of many tokens.
    body: { transaction_amount: 5, external_transaction_id: randomUUID(), campaign_id: campaigns.redeem },
  });
  const aTransaction = () => createTransaction(world, { campaignId: campaigns.earn, amount: 10 });
  const aClientToken = () => send('base/issue-token', asMerchant({ body: 'grant_type=client_credentials' }));
  const { connectToken } = connectStory(() => ({ world, account: '' }));
  const connecting = async (): Promise<Request> => ({ params: { connect_token: await connectToken() } });
  const anAccount = async () => {
    const memberId = randomUUID();
    return { member_id: memberId, proof: await openAccount(world, memberId) };
  };

  /** Makes a new organisation with a subscription, a delivery and a replay. Returns a request that names all three. */
  const aWebhook = async (parts: Partial<Subscription> = {}) => {
    const { id, apiKey } = await provisionOrganisation(world.platform, { name: 'Newcomer', kind: 'MERCHANT' });
    const { subscriptionId, eventId, replayId } = await webhookStory(world, id, parts);
    const params = { subscription_id: subscriptionId, event_id: eventId, replay_id: replayId };
    return withHeader({ params }, 'x-api-key', apiKey);
  };

  return {
    'reward/authenticate-transaction': async () => asMember(aPurchase()),
    'reward/create-transaction': async () => {
      const { body } = await send('reward/authenticate-transaction', asMember(aPurchase()));
      return asMember({ body: { reward_authentication_token: body.data.authentication_id } });
    },
    'reward/get-transaction': async () =>
      asBearer({ params: { reward_transaction_id: String((await aTransaction()).id) } }),
    'base/get-transaction': async () => asMerchant({ params: { id: (await aTransaction()).uuid } }),
    'base/get-partnership': async () => asMerchant({ params: { id: partnership.uuid } }),
    'base/get-user': async () => asMerchant({ params: { id: member?.uuid ?? '' } }),
    'base/update-attributes': async () => {
      const { uuid } = await newShopper(world);
      return asMerchant({ params: { id: uuid }, body: { attributes: { plan: ['yearly'] } } });
    },
    'base/unlink-account': async () => {
      const { uuid } = await newShopper(world);
      return asMerchant({ params: { id: uuid }, body: { partner_id: partner.id } });
    },
    'user/unlink-own-account': async () => {
      const { id, accessToken } = await newShopper(world);
      const request = { params: { id: String(id) }, body: { partner_id: partner.id } };
      return withHeader(request, 'x-api-key', accessToken);
    },
    'user/get-user-status': async () => asMember({ params: { id: String(member?.id) } }),
    'base/send-trigger': async () => {
      const body = { trigger_name: trigger.name, user_uuid: member?.uuid, transaction_context: trigger.context };
      return asMerchant({ params: { id: partnership.uuid }, body });
    },
    'campaign/list-campaigns': async () => asMerchant({ query: { campaign_types: '1,2' } }),
    'campaign/list-templates': () => asBearer({}),
    'campaign/simulate-campaigns': async () =>
      asMerchant({ body: { user_uuid: member?.uuid, transaction_amount: 10 } }),
    'order/create-order': async () => asMerchant({ body: anOrderBody() }),
    'order/get-order': async () => {
      const { body } = await postOrder(world, anOrderBody());
      return asMerchant({ params: { order_id: body.data.external_order_id } });
    },
    'order/refund-order': async () => {
      const order = await orderOf(world, await postOrder(world, anOrderBody()));
      return asMerchant({ params: { order_id: order.uuid }, body: { refund_external_id: 'r', amount: 100 } });
    },
    'reward/refund-transaction': async () => {
      const params = { reward_transaction_id: String((await aTransaction()).id) };
      return asMerchant({ params, body: { refund_external_id: 'r', amount: 100 } });
    },
    'base/create-connect-token': async () => asMerchant({ body: { user: { external_id: randomUUID() } } }),
    'base/get-connect': connecting,
    'base/show-connect-page': connecting,
    'base/link-account': async () => ({
      ...(await connecting()),
      body: { partner_id: partner.id, ...(await anAccount()) },
    }),
    'base/submit-connect-page': async () => ({
      ...(await connecting()),
      body: new URLSearchParams({ partner_id: String(partner.id), ...(await anAccount()) }).toString(),
    }),
    'base/issue-token': async () => asMerchant({ body: 'grant_type=client_credentials' }),
    'base/revoke-token': async () => asMerchant({ body: `token=${(await aClientToken()).body.access_token}` }),
    'notification/subscribe-webhook': () =>
      asNewcomer(world, { body: { endpoint: endpointUrl, event_name: 'campaign_ended' } }),
    'notification/update-webhook': async () => {
      const request = await asNewcomer(world, { body: { endpoint: endpointUrl } });
      await send('notification/subscribe-webhook', request);
      return { ...request, body: { endpoint: '' } };
    },
    'notification/list-webhooks': async () => asMerchant({}),
    ...Object.fromEntries(
      [
        'get-webhook',
        'test-webhook',
        'rotate-salt',
        'list-deliveries',
        'get-delivery',
        'replay-delivery',
        'get-replay',
      ].map((name) => [`notification/${name}`, () => aWebhook()]),
    ),
    'notification/enable-webhook': () =>
      aWebhook({ health: { state: 'disabled', recent: 'F', probes: 3, disabledReason: 'failing' } }),
    'notification/commit-salt': () => aWebhook({ nextSalt: { salt: 'next', activatesAt: '2126-01-01T00:00:00.000Z' } }),
    'notification/start-replay': async () => {
      return { ...(await aWebhook()), body: { since: '2026-01-01T00:00:00Z', state: 'all' } };
    },
    ...Object.fromEntries(hosts.map((host) => [`${host}/get-openapi`, async () => ({})])),
  };
}
