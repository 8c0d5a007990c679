import type { Subscriptions } from '../../store/webhook/subscriptions.ts';
import type { Subscription } from '../../webhooks/subscription.ts';

/** The subscriptions of an organisation, the oldest first. Their selectors limit their number. */
export async function listEndpoints(
  organisationId: number,
  { subscriptions }: { readonly subscriptions: Pick<Subscriptions, 'of'> },
): Promise<Subscription[]> {
  const all = await subscriptions.of(organisationId);
  const place = ({ createdAt, subscriptionId }: Subscription) => `${createdAt} ${subscriptionId}`;
  return all.toSorted((one, other) => place(one).localeCompare(place(other), 'en'));
}
