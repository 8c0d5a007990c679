import { type PlatformEvent, testEventName } from '../../contracts/events.ts';
import { maximumCount, secondMs, webhookMs } from '../../contracts/limits.ts';
import { TooManyAttemptsError } from '../../domain/errors.ts';
import { recordWrites } from '../../store/webhook/deliveries.ts';
import { type Delivery, parkedAgain } from '../../webhooks/delivery.ts';
import { newHealth, withTest } from '../../webhooks/endpoint-health.ts';
import type { Subscription } from '../../webhooks/subscription.ts';
import { type EndpointRequest, type RequestedDeps, requestWork } from './find-endpoint.ts';

/**
 * Sends a test event to an endpoint now, whatever the state of the endpoint. The event is attempted once. After a
 * success, an endpoint in the state `open` counts as working again; a failure changes nothing. The number of tests of a
 * subscription is limited, because each one is a request of the platform to a URL that its owner chose.
 *
 * @returns the delivery of the event, which is parked until it is sent
 * @throws SubscriptionNotFoundError, SubscriptionNotReadableError
 * @throws TooManyAttemptsError while the subscription has had `maximumCount.testEvents` tests in the last minute
 */
export function sendTestEvent(request: EndpointRequest, deps: RequestedDeps<Delivery>): Promise<Delivery> {
  return requestWork(
    request,
    (subscription, now) => {
      const { subscriptionId, health = newHealth } = subscription;
      const event = testEvent(subscription, { id: deps.nextUuid(), now });
      const record = parkedAgain(event, now);
      return {
        health: withTest(health, event.id, now),
        testedAt: [...recentTests(subscription, now), now.toISOString()],
        writes: recordWrites(subscriptionId, record),
        what: `sends a test event to subscription ${subscriptionId}`,
        result: record.delivery,
      };
    },
    deps,
  );
}

/** The tests of the last minute. Together with a new one they are at most `maximumCount.testEvents`. */
function recentTests({ testedAt = [] }: Subscription, now: Date): string[] {
  const isRecent = (at: string) => Date.parse(at) > now.getTime() - webhookMs.testWindow;
  const recent = testedAt.filter(isRecent);
  const [oldest] = recent;
  if (oldest === undefined || recent.length < maximumCount.testEvents) return recent;
  const waitMs = Date.parse(oldest) + webhookMs.testWindow - now.getTime();
  const message = `A subscription may have ${maximumCount.testEvents} test events a minute; try again later`;
  throw new TooManyAttemptsError(message, Math.ceil(waitMs / secondMs));
}

function testEvent(
  { subscriptionId, organisationId }: Subscription,
  { id, now }: { readonly id: string; readonly now: Date },
): PlatformEvent {
  return {
    ...{ id, name: testEventName, entityId: subscriptionId, occurredAt: now.toISOString() },
    ...{ merchantId: organisationId, partnerId: organisationId },
  };
}
