import { localAccount } from './account.ts';
import type { DynamoDbCall } from './dynamodb/call.ts';
import { startGateway } from './gateway/gateway.ts';
import { hostNames, restApis } from './gateway/rest-api.ts';
import { functionSettings } from './lambda/function-settings.ts';
import type { Lambda } from './lambda/lambda.ts';
import type { AwsAddresses, Platform, PlatformOptions } from './platform-options.ts';
import { Stoppers } from './stoppers.ts';
import type { Resource, Resources } from './template/resources.ts';
import { startEventSources } from './wiring/event-sources.ts';
import { startEvents, startSchedules } from './wiring/events.ts';
import { type Foundations, startFoundations } from './wiring/foundations.ts';
import { createLambda, logDirectory, platformFaults, startProxyIfWanted } from './wiring/functions.ts';
import { SwitchedQueueFaults } from './wiring/queue-faults.ts';
import { findQueue } from './wiring/queues.ts';
import { targetSender } from './wiring/targets.ts';

export type { Platform, PlatformOptions } from './platform-options.ts';

async function startGateways(
  resources: Resources,
  lambda: Lambda,
  { ports, integrationLimitMs }: PlatformOptions,
  stoppers: Stoppers,
): Promise<Record<string, string>> {
  const apis = restApis(resources);
  const names = hostNames(apis.map(({ name }) => name));
  const hosts = await Promise.all(
    apis.map(async (api, index): Promise<[string, string]> => {
      const name = names[index] ?? api.name;
      const port = ports?.hosts?.[name] ?? 0;
      const gateway = await startGateway(api, { account: localAccount, lambda, port, integrationLimitMs });
      stoppers.add(() => gateway.stop());
      return [name, gateway.url];
    }),
  );
  return Object.fromEntries(hosts);
}

type ServiceEndpoints = Pick<AwsAddresses, 'events' | 'scheduler'>;

function awsAddresses({ resources, dynamodb, sqs }: Foundations, endpoints: ServiceEndpoints): AwsAddresses {
  const [table] = resources.ofType('AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table');
  // A bus with a source belongs to a partner, such as a payment platform.
  const ownBus = (bus: Resource): boolean =>
    bus.properties<{ EventSourceName?: string }>().EventSourceName === undefined;
  const bus = resources.ofType('AWS::Events::EventBus').find(ownBus);
  return {
    region: localAccount.region,
    dynamodb: dynamodb.endpoint,
    sqs: sqs.endpoint,
    ...endpoints,
    table: table?.ref ?? '',
    bus: bus?.ref ?? 'default',
  };
}

async function start(options: PlatformOptions, stoppers: Stoppers): Promise<Platform> {
  const foundations = await startFoundations(options, stoppers);
  const { resources, dynamodb, sqs } = foundations;
  const functions = resources.ofType('AWS::Lambda::Function').map(functionSettings);
  const calls: DynamoDbCall[] = [];
  const faults = platformFaults(options);
  const queueFaults = new SwitchedQueueFaults();

  // Functions are told where the services are, and the services deliver to functions: one of them must come later.
  let created: Lambda | undefined;
  const lambda = (): Lambda => {
    if (!created) throw new Error('the functions are not there yet');
    return created;
  };
  const send = targetSender(sqs, lambda);
  const onCall = (call: DynamoDbCall): unknown => calls.push(call);
  const proxied = { functions, resources, target: dynamodb.endpoint, faults, lambda, onCall };
  const proxy = await startProxyIfWanted(options, proxied);
  stoppers.add(() => proxy?.stop());
  const { bus, endpoint: events } = await startEvents(resources, send, options, stoppers);
  const scheduler = await startSchedules(resources, { bus, send }, options, stoppers);
  const endpoints = { dynamodb: proxy?.endpoint ?? dynamodb.endpoint, sqs: sqs.endpoint, events, scheduler };
  created = createLambda(functions, endpoints, options);

  const hosts = await startGateways(resources, created, options, stoppers);
  const surroundings = { account: localAccount, sqsEndpoint: sqs.endpoint, dynamodbEndpoint: dynamodb.endpoint };
  const sources = startEventSources(resources, { ...surroundings, lambda: created, send, queueFaults });
  // Together: a source waits for its invocation, and that ends with its worker.
  stoppers.add(() => Promise.all([created?.stop(), ...sources.map((source) => source.stop())]));

  return {
    hosts,
    aws: awsAddresses(foundations, { events, scheduler }),
    logs: logDirectory(options),
    functions: functions.map(({ shortName }) => shortName),
    invoke: (name, event) => lambda().invoke(name, event),
    calls: () => calls,
    clearCalls: () => calls.splice(0),
    faults,
    queueFaults,
    queueUrl: (name) => findQueue(resources, name).ref,
    messages: (name) => sqs.messages(findQueue(resources, name).attribute('Arn')).map(({ body }) => body),
    stop: () => stoppers.stop(),
  };
}

/**
 * Starts the platform that a cloud assembly describes, on this machine.
 * @throws Error when the assembly has something that would silently be missing; nothing is left running then
 */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const stoppers = new Stoppers();
  try {
    return await start(options, stoppers);
  } catch (error) {
    await stoppers.stop();
    throw error;
  }
}
