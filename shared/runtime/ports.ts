import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SQSClient } from '@aws-sdk/client-sqs';
import { BusClock } from '../events/bus-clock.ts';
import { DeadLetters } from '../events/dead-letters.ts';
import { EventBus } from '../events/event-bus.ts';
import { DeliverQueue } from '../webhooks/deliver-queue.ts';
import { awsClientSettings, type Config } from './runtime.ts';

/** The bus, the scheduler and the queue. Each has a function of its own, so that a bundle holds only those it uses. */

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
export function openDeliverQueue({ queueUrls }: Config): DeliverQueue {
  if (queueUrls.deliver === undefined) throw new Error('QUEUE_URL_DELIVER is not set');
  return new DeliverQueue(new SQSClient(awsClientSettings()), queueUrls.deliver, Math.random);
}

/** @throws Error when the function's declaration does not allow it to reject messages */
export function openDeadLetters({ queueUrls }: Config): DeadLetters {
  if (queueUrls.deadLetters === undefined) throw new Error('DEAD_LETTER_URL is not set');
  return new DeadLetters(new SQSClient({}), queueUrls.deadLetters);
}
