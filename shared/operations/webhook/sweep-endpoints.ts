import { type EndpointDue, endpointDueName } from '../../contracts/events.ts';
import { webhookMs } from '../../contracts/limits.ts';
import type { MessageQueue } from '../../events/message-queue.ts';
import { Subscriptions } from '../../store/webhook/subscriptions.ts';
import type { Deps } from '../operation.ts';

export const sweepEndpointsStores = { subscriptions: Subscriptions };

interface SweepDeps extends Pick<Deps, 'log' | 'now' | 'nextUuid'> {
  readonly subscriptions: Pick<Subscriptions, 'overdue'>;
  readonly endpointQueue: Pick<MessageQueue<EndpointDue>, 'send'>;
}

/**
 * Announces the work of every endpoint whose work is overdue, in case its timer was lost. A second announcement has no
 * effect.
 *
 * @throws MessagesNotQueuedError when the queue did not accept all messages; the next run sends the rest
 */
export async function sweepEndpoints({ subscriptions, endpointQueue, now, nextUuid, log }: SweepDeps): Promise<void> {
  const at = now();
  const overdue = await subscriptions.overdue(new Date(at.getTime() - webhookMs.timerLateness));
  log.info('endpoints.swept', { overdue });
  const occurredAt = at.toISOString();
  await endpointQueue.send(
    overdue.map(({ organisationId, subscriptionId }) => ({
      ...{ id: nextUuid(), name: endpointDueName, entityId: subscriptionId },
      ...{ organisationId, occurredAt },
    })),
  );
}
