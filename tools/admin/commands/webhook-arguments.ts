import { permissions } from '../../../shared/contracts/contract.ts';
import { findOrganisation } from '../../../shared/operations/organisation/find-organisation.ts';
import type { EndpointRequest } from '../../../shared/operations/webhook/find-endpoint.ts';
import { examples, type Operator } from '../cli/cli.ts';

/** The arguments that the commands about webhooks share. */

export const subscriptionArgument = ['<subscription>', 'id of the subscription, as webhook list shows it'] as const;
export const eventArgument = ['<event>', 'id of the event, as webhook deliveries shows it'] as const;

const exampleIds = {
  subscription: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e05',
  event: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e11',
};
/** The arguments of an example. */
export const exampleOf = (command: string, ...more: readonly string[]) =>
  examples(['webhook', command, '"Corner Coffee"', exampleIds.subscription, ...more].join(' '));
export const exampleEvent = exampleIds.event;

/** Finds the organisation. An operator may see and change all of its subscriptions. */
export async function requestOf(
  deps: Operator['deps'],
  text: string,
  subscriptionId: string,
): Promise<EndpointRequest> {
  const { id: organisationId } = await findOrganisation(text, deps);
  return { organisationId, subscriptionId: subscriptionId.toLowerCase(), permissions };
}
