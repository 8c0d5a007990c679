import type { PlatformEvent } from '../../../shared/contracts/events.ts';
import {
  cacheAgeMs,
  duration,
  maximumBytes,
  maximumCount,
  retentionMs,
  secondMs,
  timingMs,
  webhookAttemptDelaysMs,
  webhookMs,
} from '../../../shared/contracts/limits.ts';
import { signedRequest } from '../../../shared/webhooks/delivery-request.ts';
import type { Subscription } from '../../../shared/webhooks/subscription.ts';
import { code, table } from './tables.ts';

/** Sections of the page for receivers of webhooks: rules with the numbers of shared/contracts/limits.ts. */

/** The rules for the answer of a receiver. */
export function answerRules(): string[] {
  return [
    `- **Answer 2xx within ${duration(webhookMs.attemptDeadline)}**, body included. At most ${maximumBytes.webhookReplyBody / 1024} KB of it are read, so an empty 204 is best.`,
    `- **A slow endpoint waits longer.** After a failure, or a success that took more than ${duration(webhookMs.slowReply)}, its deliveries use the slow lane: they come later, and the deadline is ${duration(webhookMs.slowAttemptDeadline)}. ${maximumCount.fastInRow} fast successes in a row lead back. A new endpoint begins in the slow lane too.`,
    '- Everything else is a failure. **A redirect is a failure too** and is not followed: move the subscription (endpoint 14) instead.',
    `- To pause the deliveries, answer 429, 502, 503 or 504 with \`Retry-After\`, up to ${duration(webhookMs.retryAfter)}. A pause of more than ${duration(webhookMs.messageDelay)} stops all deliveries, like an outage.`,
    `- **Answer 410 only to end the deliveries**: two of them, at least ${duration(webhookMs.goneTwice)} apart and without a success between them, disable the endpoint.`,
    '- **Delivery is at least once**: `x-platform-event-id` (and `webhook-id`) is the same in every retry and replay; timestamp and signatures are new.',
    '- **There is no order**, also not after an outage. The body has only `event`, `entity` and `entity_id`: read the entity for its present state.',
  ];
}

/** The platform's steps while a receiver does not answer. */
export function outageSteps(): string[] {
  return [
    '| when | the platform |',
    '| --- | --- |',
    `| after a failed attempt | tries again after ${delays()} (±20 %): ${webhookAttemptDelaysMs.length} attempts in ${hours(totalDelayMs)}. Then the delivery is \`failed\`. |`,
    `| after ${maximumCount.failuresInRow} failures in a row, or ${maximumCount.recentFailures} of the last ${maximumCount.recentAttempts} (retries do not count) | sets the endpoint \`open\`: it parks all deliveries and tries one at a time, after the same pauses; the longest is repeated. When ${maximumCount.silentProbes} of these failed: event \`webhook.endpoint_degraded\`. |`,
    `| at the first success | sets it \`closed\` and sends the parked deliveries, the oldest first and at a rising rate: ${maximumCount.firstDrain} in the first step, then twice as many in each step, up to ${maximumCount.longestDrain}; half as many after a failure. A step takes at least ${duration(webhookMs.drainStep)}. If it was announced as degraded: event \`webhook.endpoint_recovered\`. |`,
    `| after ${duration(webhookMs.warnedAfter)} of nothing but failures | warns a second time. Event \`webhook.endpoint_degraded\`. |`,
    `| at a failure after ${duration(webhookMs.disabledAfter)} of nothing but failures, and after the second warning; or 410 twice | sets it \`disabled\` and parks deliveries only. Event \`webhook.endpoint_disabled\`. \`POST /webhooks/{subscription_id}/enable\` starts it again, with the parked deliveries. |`,
    `| ${duration(retentionMs.delivery)} after its last attempt | deletes a delivery. Until then you can replay it. |`,
  ];
}

/** The periods within which a receiver has to act. */
export function receiverPeriods(): string[] {
  return table(
    ['period', 'value'],
    [
      ['age of a request that you accept, in both directions', `${timingMs.signatureAge / secondMs} seconds`],
      ['from a rotation to `activates_at`', duration(webhookMs.saltRotation)],
      [
        'how long after an early commit, or a deleted subscription, the old one may still be in use',
        duration(cacheAgeMs.subscriptions),
      ],
      ['deliveries and attempts in the log', duration(retentionMs.delivery)],
      ['a replay sends at most', `${maximumCount.replayPage} deliveries a second`],
    ],
  );
}

const totalDelayMs = webhookAttemptDelaysMs.reduce((sum, delay) => sum + delay, 0);
const delays = () => webhookAttemptDelaysMs.slice(1).map(duration).join(', ');
const hours = (ms: number) => `${Math.round(ms / (3600 * secondMs))} hours`;

const headerMeanings: Readonly<Record<string, string>> = {
  'x-platform-event-id': 'id of the event; the same in every retry and replay',
  'x-platform-subscription-id':
    'id of the subscription, whose salt signed; tells several subscriptions of one URL apart',
  'x-platform-request-id':
    'id of the request that the event follows from, if one does; `x-request-id` in the reply to it',
  'x-platform-timestamp': 'time of this attempt, Unix seconds',
  'x-platform-date': 'the same time, as in `Sun, 01 Mar 2026 12:00:00 GMT`',
  'x-platform-signature': 'HMAC-SHA-256 of timestamp + raw body, lower-case hex; always one value',
  'x-platform-signature-next': 'during a rotation: the same by the new salt',
  'webhook-id': 'the same as `x-platform-event-id`',
  'webhook-timestamp': 'the same as `x-platform-timestamp`',
  'webhook-signature':
    '`v1,` and base64 of HMAC-SHA-256 of `id.timestamp.body`; during a rotation two values with a space between them',
};

/**
 * The headers of a delivery while the salt is being rotated. They are read from a real signed request.
 *
 * @throws Error when `headerMeanings` does not explain a header
 */
export function webhookHeaderTable(): string[] {
  const { headers } = signedRequest(someEvent, someSubscription, new Date(0));
  return table(
    ['header', 'value'],
    Object.keys(headers).map((name) => [code(name), meaningOf(name)]),
  );
}

function meaningOf(header: string): string {
  const meaning = headerMeanings[header];
  if (meaning === undefined) throw new Error(`tools/build/docs/webhooks.ts has no meaning of the header ${header}`);
  return meaning;
}

const at = new Date(0).toISOString();
const someEvent: PlatformEvent = {
  ...{ id: 'event', name: 'transaction_created', entityId: 'transaction', occurredAt: at, merchantId: 1, partnerId: 2 },
  requestId: 'request',
};
const someSubscription: Subscription = {
  ...{ organisationId: 1, subscriptionId: 'subscription', endpointUrl: 'https://shop.example.com/webhooks' },
  ...{ salt: 'old', nextSalt: { salt: 'new', activatesAt: new Date(secondMs).toISOString() } },
  ...{ readableEntityTypes: [], createdAt: at, updatedAt: at },
};
