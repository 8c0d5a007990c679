import type { Account } from '../account.ts';
import { type EventSource, readMapping } from '../lambda/event-source-mapping.ts';
import type { Lambda } from '../lambda/lambda.ts';
import type { QueueFaults } from '../lambda/queue-faults.ts';
import { SqsSource } from '../lambda/sqs-source.ts';
import { StreamSource } from '../lambda/stream-source.ts';
import type { Resource, Resources } from '../template/resources.ts';
import type { SendToTarget } from './targets.ts';

export interface SourceContext {
  readonly account: Account;
  readonly lambda: Lambda;
  readonly sqsEndpoint: string;
  /** Endpoint of DynamoDB itself, not of the proxy. */
  readonly dynamodbEndpoint: string;
  readonly send: SendToTarget;
  readonly queueFaults: QueueFaults;
}

/** Starts every enabled event source mapping of the template. */
export function startEventSources(resources: Resources, context: SourceContext): EventSource[] {
  return resources.ofType('AWS::Lambda::EventSourceMapping').flatMap((resource) => startSource(resource, context));
}

function startSource(resource: Resource, context: SourceContext): EventSource[] {
  const { account, lambda, send, queueFaults: faults } = context;
  const mapping = readMapping(resource);
  if (mapping.Enabled === false) return [];
  const service = mapping.EventSourceArn.split(':')[2];
  if (service === 'sqs') return [new SqsSource({ account, lambda, mapping, endpoint: context.sqsEndpoint, faults })];
  if (service === 'dynamodb') {
    return [new StreamSource({ account, lambda, mapping, endpoint: context.dynamodbEndpoint, send })];
  }
  throw new Error(`${resource.logicalId}: a function's event source must be a queue or a table's stream`);
}
