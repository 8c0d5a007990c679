import type * as z from 'zod/mini';
import type { Contract } from '../contracts/contract.ts';
import type { Deps, Replying } from '../operations/operation.ts';
import { type EndpointRequest, getEndpointStores } from '../operations/webhook/find-endpoint.ts';
import { Replays } from '../store/webhook/replays.ts';
import { endpoint } from './endpoint.ts';
import type { OrganisationCaller } from './request.ts';
import type { subscriptionParams } from './webhook-request.ts';

const stores = { ...getEndpointStores, replays: Replays };

/** A request of an organisation about one of its subscriptions. */
export const endpointRequestOf = (
  { organisationId, permissions }: OrganisationCaller,
  params: { readonly subscription_id: string },
): EndpointRequest => ({ organisationId, permissions, subscriptionId: params.subscription_id });

/**
 * Makes the Lambda of a contract about one subscription.
 *
 * @param view makes the data of the reply from the operation's result
 * @param work calls the operation. `params` has the other ids of the path. `work` does not receive a body or a query.
 */
export function subscriptionEndpoint<
  Params extends typeof subscriptionParams,
  Data extends z.ZodMiniType,
  Result extends object,
>(
  contract: Contract<Params, z.ZodMiniObject, z.ZodMiniType, Data, string, 'partnerKey'>,
  view: (result: Result) => z.input<Data>,
  work: (
    request: EndpointRequest,
    deps: Deps<typeof stores> & Replying<Result>,
    params: z.infer<Params>,
  ) => Promise<Result>,
) {
  return endpoint(contract, stores, ({ params, caller, replyWith }) =>
    replyWith(view, (deps) => work(endpointRequestOf(caller, params), deps, params)),
  );
}
