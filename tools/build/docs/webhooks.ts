import {
  cacheAgeMs,
  maximumBytes,
  maximumCount,
  retentionMs,
  secondMs,
  timingMs,
  webhookAttemptDelaysMs,
  webhookMs,
} from '../../../shared/contracts/limits.ts';
import { duration } from './figures.ts';
import { table } from './tables.ts';

/** Sections of the page for receivers of webhooks: rules with the numbers of shared/contracts/limits.ts. */

/** The rules for the answer of a receiver. */
export function answerRules(): string[] {
  return [
    `- **Answer 2xx within ${duration(webhookMs.attemptDeadline)}**, body included. At most ${maximumBytes.webhookReplyBody / 1024} KB of it are read, so an empty 204 is best.`,
    `- An endpoint with a failure or an answer after more than ${duration(webhookMs.slowReply)} among its last ${maximumCount.fastInRow} is moved to the slow lane: it has ${duration(webhookMs.slowAttemptDeadline)}, but its deliveries share fewer workers and come later. ${maximumCount.fastInRow} fast answers in a row lead back. A new endpoint begins in the slow lane; one fast success ends that.`,
    '- Everything else is a failure. **A redirect is a failure too** and is not followed: move the subscription (endpoint 14) instead.',
    `- To pause the deliveries, answer 429, 502, 503 or 504 with \`Retry-After\`, up to ${duration(webhookMs.retryAfter)}. After more than ${duration(webhookMs.messageDelay)} the endpoint counts as down.`,
    `- **Answer 410 only to end the deliveries**: two of them, at least ${duration(webhookMs.goneTwice)} apart and without a success between them, disable the endpoint.`,
  ];
}

/** The platform's steps while a receiver does not answer. */
export function outageSteps(): string[] {
  return [
    '| when | the platform |',
    '| --- | --- |',
    `| after a failed attempt | repeats the delivery, at most ${webhookAttemptDelaysMs.length} attempts in ${hours(totalDelayMs)} together: ${delays()} (±20 %) after the attempt before. Then its state is \`failed\`. |`,
    `| after ${maximumCount.failuresInRow} failures in a row, or ${maximumCount.recentFailures} of the last ${maximumCount.recentAttempts} (retries do not count) | \`open\`: it parks all deliveries, and probes the endpoint with one of them at a time, after the same pauses, the longest repeated. Event \`webhook.endpoint_degraded\`. |`,
    `| at the first success | \`closed\`: it sends the parked deliveries, the oldest first: ${maximumCount.firstDrain} in the first step, twice as many in each further one up to ${maximumCount.longestDrain}, half as many after a failure. A step takes at least ${duration(webhookMs.drainStep)}. Event \`webhook.endpoint_recovered\`. |`,
    `| after ${duration(webhookMs.warnedAfter)} of nothing but failures | warns a second time. Event \`webhook.endpoint_degraded\`. |`,
    `| after ${duration(webhookMs.disabledAfter)} of them, or two 410 | \`disabled\`: it sends nothing more. Event \`webhook.endpoint_disabled\`. \`POST /webhooks/{subscription_id}/enable\` begins again with what is parked. |`,
    `| ${duration(retentionMs.delivery)} after the event | deletes its delivery: until then each one can be replayed. |`,
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
        'how long after an early commit, or a deleted subscription, the old one may still be used',
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
