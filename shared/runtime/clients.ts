import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { BusClock } from '../events/bus-clock.ts';
import { EventBus } from '../events/event-bus.ts';
import { TableClient } from '../store/table/table-client.ts';
import { DeliverQueue } from '../webhooks/deliver-queue.ts';
import type { Config } from './config.ts';

/** What consumers talk to. Each is a function of its own, so that a bundle holds only what it uses. */

export function openTable(config: Config): TableClient {
  return new TableClient(openDocuments(new DynamoDBClient({})), config.tableName);
}

/** A client whose items are plain objects. */
export function openDocuments(client: DynamoDBClient): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}

/** @throws Error when the function was not given a bus to put events on */
export function openBus({ busName }: Config): EventBus {
  if (busName === undefined) throw new Error('BUS_NAME is not set');
  return new EventBus(new EventBridgeClient({}), busName, Math.random);
}

/** @throws Error when the function was not given a group of schedules to set */
export function openClock({ clock: { groupName, roleArn, targetArn, deadLetterArn } }: Config): BusClock {
  if (groupName === undefined || roleArn === undefined || targetArn === undefined || deadLetterArn === undefined) {
    throw new Error('SCHEDULE_GROUP, _ROLE_ARN, _TARGET_ARN or _DEAD_LETTER_ARN is not set');
  }
  return new BusClock(new SchedulerClient({}), { groupName, roleArn, targetArn, deadLetterArn });
}

/** @throws Error when the function was not given the queue to send to */
export function openDeliverQueue({ queueUrls }: Config): DeliverQueue {
  if (queueUrls.deliver === undefined) throw new Error('QUEUE_URL_DELIVER is not set');
  return new DeliverQueue(new SQSClient({}), queueUrls.deliver, Math.random);
}
