import {
  DeleteItemCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ListTablesCommand,
  PutItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, ListRulesCommand, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { ListSchedulesCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { DeleteMessageCommand, ListQueuesCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it, vi } from 'vitest';
import { platformSource } from '../../shared/contracts/events.ts';
import { cannot, useFlow } from './support/flow.ts';
import { buy, settleLimitMs } from './support/purchase.ts';
import { heard, subscribe } from './support/webhooks.ts';

/** AWS's SDKs work against the platform: they find every resource of the template. */

const flow = useFlow();
const aws = () => {
  if (!flow.aws) throw new Error('there is no address of the services');
  return flow.aws;
};
const at = (endpoint: string) => ({ endpoint, region: aws().region });

describe.skipIf(cannot.reachTable)("AWS's SDKs", () => {
  it('read the table, its stream and its items', async () => {
    const dynamodb = new DynamoDBClient(at(aws().dynamodb));
    const { TableNames } = await dynamodb.send(new ListTablesCommand({}));
    expect(TableNames).toContain(aws().table);
    const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: aws().table }));
    expect(Table?.StreamSpecification).toEqual({ StreamEnabled: true, StreamViewType: expect.any(String) });
    const { Items } = await dynamodb.send(new ScanCommand({ TableName: aws().table, Limit: 5 }));
    expect(Items).toHaveLength(5);
    dynamodb.destroy();
  });

  it('find the queues', async () => {
    const sqs = new SQSClient(at(aws().sqs));
    const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
    expect(QueueUrls.filter((url) => url.includes('deliver'))).not.toEqual([]);
    sqs.destroy();
  });

  it('find unreadable outbox items in the relay’s dead-letter queue', async () => {
    const pk = `OUTBOX#${crypto.randomUUID()}`;
    const Key = { pk: { S: pk }, sk: { S: 'EVENT' } };
    const dynamodb = new DynamoDBClient(at(aws().dynamodb));
    await dynamodb.send(new PutItemCommand({ TableName: aws().table, Item: { ...Key, event: { S: 'nothing' } } }));
    await dynamodb.send(new DeleteItemCommand({ TableName: aws().table, Key }));
    dynamodb.destroy();

    const sqs = new SQSClient(at(aws().sqs));
    const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
    const QueueUrl = QueueUrls.find((url) => /relayoutboxFailures/i.test(url));
    const receive = async () => (await sqs.send(new ReceiveMessageCommand({ QueueUrl }))).Messages?.[0];
    const message = await vi.waitUntil(receive, { timeout: settleLimitMs, interval: 100 });
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
    sqs.destroy();
    expect(JSON.parse(message.Body ?? '').Records[0].dynamodb.NewImage).toEqual({ ...Key, event: { S: 'nothing' } });
  });

  it('find the schedule that starts release-expired', async () => {
    const scheduler = new SchedulerClient(at(aws().scheduler));
    const { Schedules = [] } = await scheduler.send(new ListSchedulesCommand({}));
    expect(Schedules.map(({ Target }) => Target?.Arn)).toContainEqual(expect.stringMatching(/releaseexpired/));
    scheduler.destroy();
  });

  it.skipIf(cannot.receiveWebhooks)('put events on the bus, and a subscribed endpoint receives them', async () => {
    const { uuid_id: entityId } = await buy(flow, { what: 'earn', amount: 3 });
    const subscriber = await subscribe(flow, flow.demo.merchant);
    const events = new EventBridgeClient(at(aws().events));
    const { Rules = [] } = await events.send(new ListRulesCommand({ EventBusName: aws().bus }));
    expect(Rules.length).toBeGreaterThan(1);

    const { merchant, partner } = flow.demo;
    const detail = { entityId, merchantId: merchant.id, partnerId: partner.id, occurredAt: new Date().toISOString() };
    const names = ['transaction_authenticated', 'transaction_created', 'transaction_status_updated'];
    const Entries = names.map((name) => ({
      EventBusName: aws().bus,
      Source: platformSource,
      DetailType: name,
      Detail: JSON.stringify({ ...detail, id: crypto.randomUUID(), name }),
    }));
    const { FailedEntryCount } = await events.send(new PutEventsCommand({ Entries }));
    expect(FailedEntryCount).toBe(0);

    await heard(subscriber, entityId);
    await subscriber.close();
    events.destroy();
  });
});
