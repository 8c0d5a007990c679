import { endpoint } from '../../../shared/http/endpoint.ts';
import { pagingOf } from '../../../shared/http/paging.ts';
import { endpointRequestOf } from '../../../shared/http/subscription-endpoint.ts';
import { deliveryView } from '../../../shared/http/views/webhook.ts';
import { getEndpointStores } from '../../../shared/operations/webhook/find-endpoint.ts';
import { type DeliveryFilter, listDeliveries } from '../../../shared/operations/webhook/list-deliveries.ts';
import { PlatformKeys } from '../../../shared/store/organisation/platform-keys.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, { ...getEndpointStores, platformKeys: PlatformKeys }, async (call) => {
  const { params, query, caller, deps } = call;
  const { state, event_name: eventName, since, until } = query;
  const paging = pagingOf(contract, call, [params.subscription_id, state, eventName, since, until]);
  const filter: DeliveryFilter = {
    state,
    eventName,
    ...(since !== undefined && { since: new Date(since) }),
    ...(until !== undefined && { until: new Date(until) }),
  };

  const range = await paging.range();
  const page = await listDeliveries(endpointRequestOf(caller, params), { filter, range }, deps);
  return { data: { deliveries: page.items.map(deliveryView) }, cursor: await paging.cursors(page) };
});
