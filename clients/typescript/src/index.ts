import createClient, { type Client, type Middleware } from 'openapi-fetch';
import { type Credentials, type HostName, resolveCredential } from './credentials.ts';
import type { paths as BasePaths } from './schema/base.ts';
import type { paths as CampaignPaths } from './schema/campaign.ts';
import type { paths as NotificationPaths } from './schema/notification.ts';
import type { paths as OrderPaths } from './schema/order.ts';
import type { paths as RewardPaths } from './schema/reward.ts';
import type { paths as UserPaths } from './schema/user.ts';

export type { Credentials, HostName, Secret } from './credentials.ts';

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
  /** Replaces the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** A typed client for each host. */
export type RewardsClient = { readonly [Name in HostName]: Client<HostPaths[Name]> };

/**
 * Creates a client of the platform. Each call sends the credential that its endpoint requires. An error reply is not
 * thrown: it is the `error` of the result.
 *
 * @example
 * const rewards = createRewardsClient({ hosts, userToken });
 * const { data, error } = await rewards.reward.POST('/reward_transaction/auth', {
 *   body: { transaction_amount: 42.5, external_transaction_id: 'order-1001' },
 * });
 */
export function createRewardsClient({ hosts, fetch, ...credentials }: RewardsClientOptions): RewardsClient {
  const createHostClient = <Name extends HostName>(name: Name): Client<HostPaths[Name]> => {
    const client = createClient<HostPaths[Name]>({ baseUrl: hosts[name], ...(fetch && { fetch }) });
    client.use(addCredential(name, credentials));
    return client;
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

function addCredential(host: HostName, credentials: Credentials): Middleware {
  return {
    onRequest: async ({ request, schemaPath }) => {
      const credential = await resolveCredential(host, schemaPath, credentials);
      // A header of the call itself takes precedence.
      if (credential && !request.headers.has(credential.header)) {
        request.headers.set(credential.header, credential.value);
      }
      return request;
    },
  };
}
