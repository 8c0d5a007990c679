import createClient, { type Client, type Middleware } from 'openapi-fetch';
import { type Credentials, credentialOf, type HostName } from './credentials.ts';
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

/** Where the platform is, and who calls. */
export interface RewardsClientOptions extends Credentials {
  /** The base URL of each host, of one environment. */
  readonly hosts: Readonly<Record<HostName, string>>;
  /** Instead of the global one. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** A typed client for each host. */
export type RewardsClient = { readonly [Name in HostName]: Client<HostPaths[Name]> };

/**
 * A client of the platform. Each call gets the credential that its endpoint takes; a refusal is no
 * exception, but the `error` of what the call gives.
 *
 * @example
 * const rewards = createRewardsClient({ hosts, userToken });
 * const { data, error } = await rewards.reward.POST('/reward_transaction/auth', {
 *   body: { transaction_amount: 42.5, external_transaction_id: 'order-1001' },
 * });
 */
export function createRewardsClient({ hosts, fetch, ...credentials }: RewardsClientOptions): RewardsClient {
  const clientOf = <Name extends HostName>(name: Name): Client<HostPaths[Name]> => {
    const client = createClient<HostPaths[Name]>({ baseUrl: hosts[name], ...(fetch && { fetch }) });
    client.use(withCredential(name, credentials));
    return client;
  };
  return {
    base: clientOf('base'),
    reward: clientOf('reward'),
    campaign: clientOf('campaign'),
    user: clientOf('user'),
    order: clientOf('order'),
    notification: clientOf('notification'),
  };
}

function withCredential(host: HostName, credentials: Credentials): Middleware {
  return {
    onRequest: async ({ request, schemaPath }) => {
      const credential = await credentialOf(host, schemaPath, credentials);
      // What the call itself says goes first.
      if (credential && !request.headers.has(credential.header))
        request.headers.set(credential.header, credential.value);
      return request;
    },
  };
}
