import { localAccount } from './account.ts';
import type { DynamoDbCall } from './dynamodb/call.ts';
import { startGateway } from './gateway/gateway.ts';
import { readRestApis, toHostNames } from './gateway/rest-api.ts';
import { readFunctionSettings } from './lambda/function-settings.ts';
import type { Lambda } from './lambda/lambda.ts';
import { QueueFaults } from './lambda/queue-faults.ts';
import type { AwsAddresses, Platform, PlatformOptions } from './platform-options.ts';
import { Stoppers } from './stoppers.ts';
import type { Resource, Resources } from './template/resources.ts';
import { startEventSources } from './wiring/event-sources.ts';
import { startEvents, startSchedules } from './wiring/events.ts';
import { type Foundations, findQueue, findTables, startFoundations } from './wiring/foundations.ts';
import { createFaults, createLambda, logDirectoryOf, startProxyIfNeeded } from './wiring/functions.ts';
import { createTargetSender } from './wiring/targets.ts';

export type { Platform, PlatformOptions } from './platform-options.ts';

/**
 * Starts the platform that a cloud assembly describes.
 * @throws Error when the assembly has a resource that the platform does not know; then nothing is left running
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

async function start(options: PlatformOptions, stoppers: Stoppers): Promise<Platform> {
  const foundations = await startFoundations(options, stoppers);
  const { resources, dynamodb, sqs } = foundations;
  const functions = resources.ofType('AWS::Lambda::Function').map(readFunctionSettings);
  const calls: DynamoDbCall[] = [];
  const faults = createFaults(options);
  const queueFaults = new QueueFaults();

  // The functions need the endpoints of the services, and the services invoke the functions. So the services start first
  // and look up the functions later.
  let created: Lambda | undefined;
  const lambda = (): Lambda => {
    if (!created) throw new Error('the functions have not started yet');
    return created;
  };
  const send = createTargetSender(sqs, lambda);
  const onCall = (call: DynamoDbCall): unknown => calls.push(call);
  const proxyContext = { functions, resources, target: dynamodb.endpoint, faults, lambda, onCall };
  const proxy = await startProxyIfNeeded(options, proxyContext);
  stoppers.add(() => proxy?.stop());
  const { bus, endpoint: events } = await startEvents(resources, send, { options, stoppers });
  const scheduler = await startSchedules(resources, { bus, send }, { options, stoppers });
  const endpoints = { dynamodb: proxy?.endpoint ?? dynamodb.endpoint, sqs: sqs.endpoint, events, scheduler };
  created = createLambda(functions, endpoints, options);

  const hosts = await startGateways(resources, created, { options, stoppers });
  const account = localAccount;
  const sourceEndpoints = { sqsEndpoint: sqs.endpoint, dynamodbEndpoint: dynamodb.endpoint };
  const sources = startEventSources(resources, { account, lambda: created, ...sourceEndpoints, send, queueFaults });
  // At the same time: a source waits for its running invocation, which ends with its worker.
  stoppers.add(() => Promise.all([created?.stop(), ...sources.map((source) => source.stop())]));

  return {
    hosts,
    aws: toAwsAddresses(foundations, { events, scheduler }),
    logs: logDirectoryOf(options),
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

/** Returns the base URL of each host. */
async function startGateways(
  resources: Resources,
  lambda: Lambda,
  { options, stoppers }: { readonly options: PlatformOptions; readonly stoppers: Stoppers },
): Promise<Record<string, string>> {
  const { ports, integrationLimitMs } = options;
  const apis = readRestApis(resources);
  const names = toHostNames(apis.map(({ name }) => name));
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

type EventEndpoints = Pick<AwsAddresses, 'events' | 'scheduler'>;

function toAwsAddresses({ resources, dynamodb, sqs }: Foundations, endpoints: EventEndpoints): AwsAddresses {
  const [table] = findTables(resources);
  // A bus with an event source belongs to a partner, such as a payment provider.
  const isOwnBus = (bus: Resource): boolean =>
    bus.properties<{ EventSourceName?: string }>().EventSourceName === undefined;
  const bus = resources.ofType('AWS::Events::EventBus').find(isOwnBus);
  return {
    region: localAccount.region,
    dynamodb: dynamodb.endpoint,
    sqs: sqs.endpoint,
    ...endpoints,
    table: table?.ref ?? '',
    bus: bus?.ref ?? 'default',
  };
}
