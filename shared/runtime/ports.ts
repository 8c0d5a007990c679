import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { EndpointDue, ProgramTask } from '../contracts/events.ts';
import { timingMs } from '../contracts/limits.ts';
import { parseJson } from '../domain/parse-json.ts';
import { BusClock } from '../events/bus-clock.ts';
import { DeadLetters } from '../events/dead-letters.ts';
import { EventBus } from '../events/event-bus.ts';
import { MessageQueue } from '../events/message-queue.ts';
import type { CallHost } from '../operations/synthetic-purchase.ts';
import { type DeliveryMessage, deliveryGroup, slowDeliveryGroup } from '../webhooks/delivery.ts';
import { awsClientSettings, type Config } from './runtime.ts';

/**
 * The bus, the scheduler and the queues. Each is opened by a separate function, so a bundle contains only the functions
 * that it uses.
 */

/** @throws Error when the function's declaration does not allow it to publish */
export function openBus({ busName }: Config): EventBus {
  if (busName === undefined) throw new Error('BUS_NAME is not set');
  return new EventBus(new EventBridgeClient(awsClientSettings()), busName, Math.random);
}

/** @throws Error when the function's declaration does not allow it to schedule */
export function openClock({ clock: { groupName, roleArn, targetArn, deadLetterArn } }: Config): BusClock {
  if (groupName === undefined || roleArn === undefined || targetArn === undefined || deadLetterArn === undefined) {
    throw new Error('SCHEDULE_GROUP, _ROLE_ARN, _TARGET_ARN or _DEAD_LETTER_ARN is not set');
  }
  return new BusClock(new SchedulerClient(awsClientSettings()), { groupName, roleArn, targetArn, deadLetterArn });
}

/** @throws Error when the function's declaration does not name the queue */
export const openDeliverQueue = ({ queueUrls }: Config): MessageQueue<DeliveryMessage> =>
  openQueue('DELIVER', queueUrls.deliver, deliveryGroup);

/** @throws Error when the function's declaration does not name the queue */
export const openSlowDeliverQueue = ({ queueUrls }: Config): MessageQueue<DeliveryMessage> =>
  openQueue('DELIVER_SLOW', queueUrls.deliverSlow, slowDeliveryGroup);

/** @throws Error when the function's declaration does not name the queue */
export const openEndpointQueue = ({ queueUrls }: Config): MessageQueue<EndpointDue> =>
  openQueue('ENDPOINT', queueUrls.endpoint, ({ organisationId }) => String(organisationId));

/** @throws Error when the function's declaration does not name the queue */
export const openProgramQueue = ({ queueUrls }: Config): MessageQueue<ProgramTask> =>
  openQueue('PROGRAM', queueUrls.program, ({ partnerId }) => String(partnerId));

function openQueue<Message>(name: string, url: string | undefined, groupOf: (message: Message) => string) {
  if (url === undefined) throw new Error(`QUEUE_URL_${name} is not set`);
  return new MessageQueue<Message>(new SQSClient(awsClientSettings()), { url, groupOf }, Math.random);
}

/** @throws Error when the function's declaration does not allow it to reject messages */
export function openDeadLetters({ queueUrls }: Config): DeadLetters {
  if (queueUrls.deadLetters === undefined) throw new Error('DEAD_LETTER_URL is not set');
  return new DeadLetters(new SQSClient(awsClientSettings()), queueUrls.deadLetters);
}

/** Calls a host of the platform over HTTPS, as a merchant's server does. `body` is undefined if a reply is no JSON. */
export const callHost: CallHost = async ({ method, url, key, json, form }) => {
  const response = await fetch(url, {
    method,
    headers: {
      ...(key !== undefined && { 'x-api-key': key }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(form && { body: new URLSearchParams(form) }),
    signal: AbortSignal.timeout(timingMs.syntheticRequest),
  });
  const text = await response.text();
  return { status: response.status, body: parseJson(text) };
};
