import type { PlatformEvent } from '../contracts/events.ts';
import { deliveryBody } from './body.ts';
import type { Outgoing } from './post.ts';
import { signatureHeaders } from './signature.ts';
import type { Subscription } from './subscription.ts';

/** An event as one subscription's endpoint gets it, signed for the moment of the attempt. */
export function signedDelivery(event: PlatformEvent, subscription: Subscription, signedAt: Date): Outgoing {
  const body = deliveryBody(event);
  return {
    endpointUrl: subscription.endpointUrl,
    headers: {
      ...signatureHeaders({ salt: subscription.salt, eventId: event.id, body, signedAt }),
      // Which salt to verify with, where an endpoint stands in several subscriptions.
      'x-platform-subscription-id': subscription.subscriptionId,
    },
    body,
  };
}
