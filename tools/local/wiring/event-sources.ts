import type { Account } from '../account.ts';
import { type MappingProperties, mappingProperties, type Running } from '../lambda/event-source.ts';
import { type QueueFaults, SqsSource } from '../lambda/event-source-sqs.ts';
import { StreamSource } from '../lambda/event-source-stream.ts';
import type { Lambda } from '../lambda/lambda.ts';
import type { Resource, Resources } from '../template/resources.ts';
import type { SendToTarget } from './targets.ts';

export interface SourceSurroundings {
  readonly account: Account;
  readonly lambda: Lambda;
  readonly sqsEndpoint: string;
  /** DynamoDB itself, not the proxy. */
  readonly dynamodbEndpoint: string;
  readonly send: SendToTarget;
  readonly queueFaults: QueueFaults;
}

function startSource(mapping: MappingProperties, resource: Resource, surroundings: SourceSurroundings): Running {
  const { account, lambda, send } = surroundings;
  const service = mapping.EventSourceArn.split(':')[2];
  if (service === 'sqs') {
    return new SqsSource({
      account,
      lambda,
      mapping,
      endpoint: surroundings.sqsEndpoint,
      faults: surroundings.queueFaults,
    });
  }
  if (service !== 'dynamodb')
    throw new Error(`${resource.logicalId}: functions can be fed from queues and tables only`);
  return new StreamSource({ account, lambda, mapping, endpoint: surroundings.dynamodbEndpoint, send });
}

/** Starts every event source mapping of the template that is enabled. */
export function startEventSources(resources: Resources, surroundings: SourceSurroundings): Running[] {
  return resources
    .ofType('AWS::Lambda::EventSourceMapping')
    .map((resource) => ({ resource, mapping: mappingProperties(resource) }))
    .filter(({ mapping }) => mapping.Enabled !== false)
    .map(({ resource, mapping }) => startSource(mapping, resource, surroundings));
}
