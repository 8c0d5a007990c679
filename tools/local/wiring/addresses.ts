import { localAccount } from '../account.ts';
import type { AwsAddresses, PaymentAddresses } from '../platform-options.ts';
import type { Resource, Resources } from '../template/resources.ts';
import { type Foundations, findTables } from './services.ts';

/** Finds the queue of payments. It is the queue to which the rules of the payment platforms' buses deliver. */
export function toPaymentAddresses(resources: Resources): PaymentAddresses {
  const rules = resources
    .ofType('AWS::Events::Rule')
    .map((rule) => rule.properties<{ EventBusName?: string; Targets?: readonly { readonly Arn: string }[] }>());
  const partnerSources = resources
    .ofType('AWS::Events::EventBus')
    .map((bus) => bus.properties<{ EventSourceName?: string }>().EventSourceName)
    .filter((name) => name !== undefined);
  const targets = rules
    .filter(({ EventBusName = '' }) => partnerSources.some((source) => EventBusName.endsWith(source)))
    .flatMap(({ Targets = [] }) => Targets.map(({ Arn }) => Arn));
  const queue = resources.ofType('AWS::SQS::Queue').find((one) => targets.includes(one.attribute('Arn')));
  return { queueUrl: queue?.ref ?? '', partnerSources };
}

type EventEndpoints = Pick<AwsAddresses, 'events' | 'scheduler' | 'secrets' | 'parameters' | 'oidc'>;

export function toAwsAddresses({ resources, dynamodb, sqs }: Foundations, endpoints: EventEndpoints): AwsAddresses {
  const [table] = findTables(resources);
  // A bus with an event source belongs to a payment platform.
  const isOwnBus = (bus: Resource): boolean =>
    bus.properties<{ EventSourceName?: string }>().EventSourceName === undefined;
  const bus = resources.ofType('AWS::Events::EventBus').find(isOwnBus);
  return {
    region: localAccount.region,
    dynamodb: dynamodb.endpoint,
    sqs: sqs.endpoint,
    s3: sqs.endpoint,
    ...endpoints,
    table: table?.ref ?? '',
    bus: bus?.ref ?? 'default',
  };
}
