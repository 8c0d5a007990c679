/** What the requests of the Postman collection send, in which order, and what their replies have to be. */

/** One request of the collection. */
export interface PostmanStep {
  /** The operation of the joined document. */
  readonly operation: string;
  /** The name of the request, if it is not the name of the operation. */
  readonly name?: string;
  /** Fields of the body that differ from the operation's example. `{{name}}` is a variable. Undefined: no such field. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** The variables that later requests use, each with its place in the reply. */
  readonly captures?: Readonly<Record<string, string>>;
  /** The status of the reply; 200 by default. */
  readonly status?: number;
}

export interface PostmanFolder {
  readonly name: string;
  readonly description: string;
  readonly steps: readonly PostmanStep[];
}

/** The variables whose values are numbers in a body. */
export const numericVariables = ['partner_id', 'campaign_id'];

/** The variables that an environment fills: addresses, secrets, and what the merchant of the key has. */
export const environmentVariables = [
  ...['base', 'reward', 'campaign', 'user', 'order', 'notification'].map((host) => `${host}_url`),
  ...['partner_key', 'client_id', 'client_secret', 'partnership_uuid', 'partner_id', 'campaign_id'],
  ...['trigger_name', 'redirect_uri', 'webhook_url', 'program_url'],
];

const newConnectToken: PostmanStep = {
  operation: 'createConnectToken',
  fields: {
    user: { external_id: '{{customer_id}}', email: 'ada@example.com', first_name: 'Ada', last_name: 'Byron' },
    partnership_id: '{{partnership_uuid}}',
    redirect_uri: '{{redirect_uri}}',
  },
  captures: { connect_token: 'data.connect_token' },
};
const link: PostmanStep = {
  operation: 'linkAccount',
  fields: { partner_id: '{{partner_id}}', member_id: '{{member_id}}', proof: '{{proof}}' },
  captures: { code: 'data.code' },
};
const exchange: PostmanStep = {
  operation: 'issueToken',
  name: 'issueToken: the code for the tokens of the member',
  fields: {
    grant_type: 'authorization_code',
    code: '{{code}}',
    redirect_uri: '{{redirect_uri}}',
    scope: undefined,
  },
  captures: { user_token: 'access_token', refresh_token: 'refresh_token', user_id: 'user_id' },
};
const bearer: PostmanStep = {
  operation: 'issueToken',
  name: 'issueToken: a bearer token',
  fields: { scope: 'transactions:read templates:read' },
  captures: { bearer_token: 'access_token' },
};
const authenticate = (order: string): PostmanStep => ({
  operation: 'authenticateTransaction',
  fields: { external_transaction_id: order, campaign_id: '{{campaign_id}}' },
  captures: { authentication_id: 'data.authentication_id' },
});
const create: PostmanStep = {
  operation: 'createTransaction',
  fields: { reward_authentication_token: '{{authentication_id}}' },
  captures: { reward_transaction_id: 'data.reward_transactions[0].id' },
};
const subscription = (endpoint: string) => ({ endpoint, event_name: 'transaction_status_updated' });

/** The folder that a newcomer runs first. It sets every variable that the other folders need. */
export const firstReward: PostmanFolder = {
  name: 'First reward',
  description:
    'Run this folder first, from top to bottom: a customer links an account, buys for $42.50 and earns points. Each run has a customer of its own.',
  steps: [
    newConnectToken,
    { operation: 'getConnect' },
    link,
    exchange,
    authenticate('postman-{{run}}-1'),
    create,
    {
      operation: 'baseGetTransaction',
      captures: { user_uuid: 'data.reward_transaction.user_uuid' },
    },
    { operation: 'getUserStatus' },
    bearer,
  ],
};

const customer = { external_user_id: '{{customer_id}}' };

/**
 * The folders of the hosts, in the order in which they run: `user` and `base` unlink the account of the customer, which
 * ends the customer's tokens.
 */
export const hostFolders: Readonly<Record<string, readonly PostmanStep[]>> = {
  reward: [
    authenticate('postman-{{run}}-2'),
    create,
    { operation: 'rewardGetTransaction' },
    { operation: 'refundTransaction' },
    { operation: 'rewardGetOpenapi' },
  ],
  campaign: [
    { operation: 'listCampaigns' },
    { operation: 'listTemplates' },
    { operation: 'simulateCampaigns', fields: { ...customer, now: undefined } },
    { operation: 'campaignGetOpenapi' },
  ],
  order: [
    {
      operation: 'createOrder',
      fields: {
        user: { merchant_external_id: '{{customer_id}}' },
        order_external_id: 'postman-{{run}}',
        order_payment_id: undefined,
      },
      captures: { order_id: 'data.order_id' },
    },
    { operation: 'getOrder' },
    { operation: 'refundOrder' },
    { operation: 'orderGetOpenapi' },
  ],
  notification: [
    {
      operation: 'subscribeWebhook',
      fields: subscription('{{webhook_url}}'),
      captures: { subscription_id: 'data.subscription_id' },
    },
    { operation: 'listWebhooks' },
    { operation: 'getWebhook' },
    { operation: 'testWebhook', captures: { event_id: 'data.delivery.event_id' } },
    { operation: 'listDeliveries' },
    { operation: 'getDelivery' },
    { operation: 'replayDelivery' },
    { operation: 'startReplay', captures: { replay_id: 'data.replay.replay_id' } },
    { operation: 'getReplay' },
    { operation: 'enableWebhook' },
    { operation: 'rotateSalt' },
    { operation: 'commitSalt' },
    { operation: 'updateWebhook', fields: subscription('{{webhook_url}}/v2') },
    {
      operation: 'updateWebhook',
      name: 'updateWebhook: an empty endpoint ends the subscription',
      fields: subscription(''),
    },
    { operation: 'notificationGetOpenapi' },
  ],
  user: [
    { operation: 'getUserStatus' },
    { operation: 'unlinkOwnAccount', fields: { partner_id: '{{partner_id}}' } },
    { operation: 'userGetOpenapi' },
  ],
  base: [
    newConnectToken,
    { operation: 'getConnect' },
    { operation: 'showConnectPage' },
    {
      operation: 'submitConnectPage',
      fields: { partner_id: '{{partner_id}}', member_id: '{{member_id}}', proof: '{{proof}}' },
      status: 303,
    },
    { ...newConnectToken, name: 'createConnectToken: a new one, because each is for one link' },
    link,
    exchange,
    { operation: 'getUser' },
    { operation: 'updateAttributes', fields: { attributes: { plan: ['monthly'] } } },
    { operation: 'getPartnership' },
    { operation: 'baseGetTransaction' },
    {
      operation: 'sendTrigger',
      fields: { ...customer, trigger_name: '{{trigger_name}}', transaction_context: { plan: 'monthly' } },
    },
    { operation: 'unlinkAccount', fields: { partner_id: '{{partner_id}}' } },
    bearer,
    { operation: 'revokeToken', fields: { token: '{{bearer_token}}', token_type_hint: 'access_token' } },
    { operation: 'reportFromProgram', name: 'reportFromProgram: refused without a signature', status: 401 },
    { operation: 'receivePayment', name: 'receivePayment: refused without a signature', status: 401 },
    { operation: 'baseGetOpenapi' },
  ],
};
