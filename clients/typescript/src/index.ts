import createClient, { type Middleware } from 'openapi-fetch';
import { type CredentialHeader, type Credentials, type HostName, resolveCredential } from './credentials.ts';
import type { HostClient } from './host-client.ts';
import { addIdempotencyKey, type Fetch, type RetryOptions, withRetries } from './retries.ts';
import type { paths as BasePaths } from './schema/base.ts';
import type { paths as CampaignPaths } from './schema/campaign.ts';
import type { paths as NotificationPaths } from './schema/notification.ts';
import type { paths as OrderPaths } from './schema/order.ts';
import type { paths as RewardPaths } from './schema/reward.ts';
import type { paths as UserPaths } from './schema/user.ts';

export type { Credentials, HostName, Secret } from './credentials.ts';
export { type CallResult, items, pages, type RequestFault, RewardsApiError, unwrap } from './results.ts';
export type { RetryOptions } from './retries.ts';
export {
  createBearerToken,
  createUserToken,
  type TokenClient,
  type TokenSource,
  type UserTokenOptions,
  type UserTokens,
} from './tokens.ts';
export { type WaitOptions, waitForTransaction } from './transactions.ts';

/** The paths of each host. */
interface HostPaths {
  readonly base: BasePaths;
  readonly reward: RewardPaths;
  readonly campaign: CampaignPaths;
  readonly user: UserPaths;
  readonly order: OrderPaths;
  readonly notification: NotificationPaths;
}

/** The platform's addresses and the caller's credentials. */
export interface RewardsClientOptions extends Credentials {
  /** Base URL of each host of one environment. */
  readonly hosts: Readonly<Record<HostName, string>>;
  /** Replaces the global `fetch`. It is called for each attempt of a request. */
  readonly fetch?: Fetch;
  /**
   * How requests are repeated after a network failure, 429 or 5xx. POST and PUT get an `Idempotency-Key`, so that the
   * platform processes them once. With `false`, each request is sent once and no key is added.
   */
  readonly retries?: RetryOptions | false;
}

/** A typed client for each host. */
export type RewardsClient = { readonly [Name in HostName]: HostClient<HostPaths[Name]> };

/**
 * Creates a client of the platform. Each call sends the credential that its endpoint requires. A call that fails
 * temporarily is repeated. An error reply is not thrown but returned as `error`; {@link unwrap} throws it.
 *
 * @example
 * const rewards = createRewardsClient({ hosts, userToken });
 * const { data, error } = await rewards.reward.POST('/reward_transaction/auth', {
 *   body: { transaction_amount: 42.5, external_transaction_id: 'order-1001' },
 * });
 */
export function createRewardsClient({
  hosts,
  fetch: send = (request) => fetch(request),
  retries = {},
  ...credentials
}: RewardsClientOptions): RewardsClient {
  const attempt = retries === false ? send : withRetries(send, retries);
  const createHostClient = <Name extends HostName>(name: Name): HostClient<HostPaths[Name]> => {
    const applied: AppliedCredentials = new WeakMap();
    const client = createClient<HostPaths[Name]>({ baseUrl: hosts[name], fetch: renewOnce(attempt, applied) });
    client.use(addCredential(name, credentials, applied));
    if (retries !== false) client.use(identifyRequests);
    // The calls are the same; only their types accept fewer requests.
    return client as unknown as HostClient<HostPaths[Name]>;
  };
  return {
    base: createHostClient('base'),
    reward: createHostClient('reward'),
    campaign: createHostClient('campaign'),
    user: createHostClient('user'),
    order: createHostClient('order'),
    notification: createHostClient('notification'),
  };
}

/** The credential that each request was sent with. */
type AppliedCredentials = WeakMap<Request, CredentialHeader>;

function addCredential(host: HostName, credentials: Credentials, applied: AppliedCredentials): Middleware {
  return {
    onRequest: async ({ request, schemaPath }) => {
      const credential = await resolveCredential(host, schemaPath, credentials);
      // A credential header that the caller sets on this request has precedence.
      if (credential && !request.headers.has(credential.name)) {
        request.headers.set(credential.name, credential.value);
        applied.set(request, credential);
      }
      return request;
    },
  };
}

/**
 * Adds `Idempotency-Key` to each POST or PUT that has a credential. The connect flow needs no credential, and the
 * platform ignores the key there.
 */
const identifyRequests: Middleware = {
  onRequest: ({ request, schemaPath }) => {
    const hasCredential = request.headers.has('x-api-key') || request.headers.has('authorization');
    if (hasCredential && !schemaPath.startsWith('/connect/')) addIdempotencyKey(request);
    return request;
  },
};

/** When the platform refuses a token with 401, renews the token and sends the request once more. */
function renewOnce(send: Fetch, applied: AppliedCredentials): Fetch {
  return async (request) => {
    const credential = applied.get(request);
    if (!credential?.renew) return send(request);
    const response = await send(request.clone());
    if (response.status !== 401) return response;
    const renewed = await credential.renew();
    if (renewed.value === credential.value) return response;
    await response.body?.cancel();
    request.headers.set(renewed.name, renewed.value);
    return send(request);
  };
}
