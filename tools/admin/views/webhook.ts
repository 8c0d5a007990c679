import type { EndpointOverview } from '../../../shared/operations/webhook/get-endpoint.ts';
import type { DeliveryDetails } from '../../../shared/store/webhook/deliveries.ts';
import type { Delivery } from '../../../shared/webhooks/delivery.ts';
import { laneOf, newHealth } from '../../../shared/webhooks/endpoint-health.ts';
import type { Subscription } from '../../../shared/webhooks/subscription.ts';
import { moment } from '../cli/moments.ts';
import { facts, paragraphs, section, table } from '../cli/text.ts';
import { viewOf } from '../cli/view.ts';

/** Webhooks. Of endpoints and deliveries, scripts receive the views of the API. */

/** A subscription, without the salt, because the salt is the key of the signatures. */
export const webhookView = viewOf<Subscription>()({
  subscriptionId: { head: 'subscription' },
  eventName: { head: 'event', cell: ({ eventName }) => eventName ?? 'all' },
  entityType: { head: 'entity type', cell: ({ entityType }) => entityType ?? 'all' },
  state: { head: 'state', json: null, cell: ({ health }) => (health ?? newHealth).state },
  endpointUrl: { head: 'endpoint' },
  createdAt: {},
});

export function endpointText({ subscription, statistics, backlog }: EndpointOverview): string {
  const { health = newHealth, nextSalt } = subscription;
  const { attempted, successRate, p50Ms, p95Ms } = statistics;
  return paragraphs(
    webhookView.table([subscription]),
    section(
      'Health',
      facts({
        state: health.state,
        'disabled because': health.disabledReason ?? null,
        'failing since': momentOf(health.failingSince),
        'next attempt': momentOf(health.resumeAt),
        lane: laneOf(health),
        replay: health.replayId ?? null,
        'new salt from': momentOf(nextSalt?.activatesAt),
      }),
    ),
    section(
      `Deliveries attempted last: ${attempted}`,
      facts({
        delivered: successRate === undefined ? null : `${Math.round(successRate * 1_000) / 10} %`,
        'half of them took at most': milliseconds(p50Ms),
        '95 of 100 took at most': milliseconds(p95Ms),
      }),
    ),
    section(
      'Waiting',
      facts({
        deliveries: `${backlog.count}${backlog.hasMore ? ' or more' : ''}`,
        'oldest event': momentOf(backlog.oldestAt),
      }),
    ),
  );
}

export const deliveriesTable = (deliveries: readonly Delivery[]): string =>
  table(
    ['event', 'name', 'occurred', 'state', 'attempts', 'status', 'problem', 'next attempt'],
    deliveries.map(({ event, state, attempts, status, errorClass, nextAttemptAt }) => [
      ...[event.id, event.name, moment(event.occurredAt), state, attempts],
      ...[status ?? null, errorClass ?? null, momentOf(nextAttemptAt)],
    ]),
  );

export function deliveryText({ delivery, failedAttempts }: DeliveryDetails): string {
  const rows = failedAttempts.map(({ attempt, at, endpointUrl, outcome }) => [
    ...[attempt, moment(at), outcome.status ?? null, outcome.result === 'failed' ? outcome.errorClass : null],
    ...[milliseconds(outcome.timing.totalMs), outcome.address ?? null, endpointUrl, outcome.excerpt ?? null],
  ]);
  return paragraphs(
    deliveriesTable([delivery]),
    failedAttempts.length === 0
      ? 'No attempt failed.'
      : section(
          'Failed attempts',
          table(['attempt', 'at', 'status', 'problem', 'took', 'address', 'endpoint', 'reply'], rows),
        ),
  );
}

const momentOf = (at: string | undefined) => (at === undefined ? null : moment(at));
const milliseconds = (value: number | undefined) => (value === undefined ? null : `${value} ms`);
