import { join } from 'node:path';
import { type Account, localAccount } from './account.ts';
import type { DynamoDbCall } from './dynamodb/call.ts';
import { Faults } from './dynamodb/faults.ts';
import { readRolePolicy } from './dynamodb/policy.ts';
import { type Caller, type DynamoDbProxy, type DynamoDbProxyOptions, startDynamoDbProxy } from './dynamodb/proxy.ts';
import { startGateway } from './gateway/gateway.ts';
import { readRestApis, toAwsUrl, toHostNames } from './gateway/rest-api.ts';
import { type EventSource, readMapping } from './lambda/event-source-mapping.ts';
import {
  buildEnvironment,
  type Endpoints,
  type FunctionSettings,
  readFunctionSettings,
} from './lambda/function-settings.ts';
import { Lambda } from './lambda/lambda.ts';
import { QueueFaults } from './lambda/queue-faults.ts';
import { SqsSource } from './lambda/sqs-source.ts';
import { StreamSource } from './lambda/stream-source.ts';
import type { AwsAddresses, Invocation, PaymentAddresses, Platform, PlatformOptions } from './platform-options.ts';
import { Stoppers } from './stoppers.ts';
import type { Resource, Resources } from './template/resources.ts';
import {
  createTargetSender,
  type Foundations,
  findQueue,
  findTables,
  type SendToTarget,
  startEvents,
  startFoundations,
  startSchedules,
  startSecrets,
} from './wiring/services.ts';

/** Returns the folder of the functions' logs. */
function logDirectoryOf({ stateDirectory }: PlatformOptions): string {
  return join(stateDirectory, 'logs');
}

interface LambdaContext {
  readonly endpoints: Endpoints;
  readonly apiUrls: ReadonlyMap<string, string>;
  /** Receives the invocations, if the options ask for them. */
  readonly invocations: Invocation[];
}

function createLambda(
  functions: readonly FunctionSettings[],
  { invocations, ...context }: LambdaContext,
  options: PlatformOptions,
): Lambda {
  const { concurrency, environment: overrides, recordInvocations } = options;
  return new Lambda(functions, (settings) => ({
    environment: buildEnvironment(settings, { ...context, account: localAccount, overrides }),
    logDirectory: logDirectoryOf(options),
    ...(concurrency && { concurrency }),
    ...(recordInvocations && { onBegin: (event: string) => record(invocations, settings.shortName, event) }),
  }));
}

/** Adds an invocation that begins. Returns the function to call when it ends. */
function record(invocations: Invocation[], name: string, event: string): () => void {
  const position = invocations.push({ function: name, event, ended: false }) - 1;
  return () => {
    invocations[position] = { function: name, event, ended: true };
  };
}

/** Creates the faults of a platform. They have no effect without the option `faults`. */
function createFaults({ faults = false }: PlatformOptions): Faults {
  return new Faults(typeof faults === 'number' ? faults : undefined);
}

interface ProxyContext {
  readonly functions: readonly FunctionSettings[];
  readonly resources: Resources;
  readonly target: string;
  readonly faults: Faults;
  readonly lambda: () => Lambda;
  readonly onCall: (call: DynamoDbCall) => void;
}

/** Starts the proxy between functions and DynamoDB, if one of the options needs it. */
async function startProxyIfNeeded(
  { recordDynamoDb, enforceIam, faults: faultOption }: PlatformOptions,
  { functions, resources, target, faults, lambda, onCall }: ProxyContext,
): Promise<DynamoDbProxy | undefined> {
  const hasFaults = faultOption !== undefined && faultOption !== false;
  if (!recordDynamoDb && !enforceIam && !hasFaults) return undefined;
  return startDynamoDbProxy({
    target,
    findCaller: createCallerFinder(functions),
    kill: (caller) => killWorker(caller, lambda()),
    ...(recordDynamoDb && { onCall }),
    ...(hasFaults && { faults }),
    ...(enforceIam && { findDenied: createRoleCheck(functions, resources) }),
  });
}

/** Finds the caller by its access key. A worker's key is its function's logical id, `W` and its thread's id. */
function createCallerFinder(functions: readonly FunctionSettings[]): (accessKey: string) => Caller {
  const names = new Map(functions.map(({ logicalId, shortName }) => [logicalId, shortName]));
  return (accessKey) => {
    const [, logicalId = '', thread] = /^(.+)W(\d+)$/.exec(accessKey) ?? [];
    const name = names.get(logicalId);
    return name === undefined ? { name: accessKey } : { name, threadId: Number(thread) };
  };
}

/** Ends the calling worker. Does nothing for a caller that is not a function. */
async function killWorker({ name, threadId }: Caller, lambda: Lambda): Promise<void> {
  if (threadId !== undefined) await lambda.pool(name).kill(threadId);
}

/** Checks each function's calls against its role. Other callers have all permissions. */
function createRoleCheck(
  functions: readonly FunctionSettings[],
  resources: Resources,
): NonNullable<DynamoDbProxyOptions['findDenied']> {
  const arns = new Map(findTables(resources).map((table) => [table.ref, table.attribute('Arn')]));
  const policies = new Map(functions.map(({ shortName, role }) => [shortName, readRolePolicy(role, resources, arns)]));
  return ({ name, threadId }, parts) => (threadId === undefined ? undefined : policies.get(name)?.findDenied(parts));
}

interface SourceContext {
  readonly account: Account;
  readonly lambda: Lambda;
  readonly sqsEndpoint: string;
  /** Endpoint of DynamoDB itself, not of the proxy. */
  readonly dynamodbEndpoint: string;
  readonly send: SendToTarget;
  readonly queueFaults: QueueFaults;
}

/** Starts every enabled event source mapping of the template. */
function startEventSources(resources: Resources, context: SourceContext): EventSource[] {
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

export type { Platform, PlatformOptions } from './platform-options.ts';

/**
 * Starts the platform that a cloud assembly describes.
 * @throws Error when the assembly has a resource that the platform does not know; then it stops everything that it has
 * started
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
  const invocations: Invocation[] = [];
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
  const secrets = await startSecrets({ options, stoppers });
  const endpoints = { dynamodb: proxy?.endpoint ?? dynamodb.endpoint, sqs: sqs.endpoint, events, scheduler, secrets };
  const { hosts, apiUrls } = await startGateways(resources, lambda, { options, stoppers });
  created = createLambda(functions, { endpoints, apiUrls, invocations }, options);

  const account = localAccount;
  const sourceEndpoints = { sqsEndpoint: sqs.endpoint, dynamodbEndpoint: dynamodb.endpoint };
  const sources = startEventSources(resources, { account, lambda: created, ...sourceEndpoints, send, queueFaults });
  // Workers and sources stop at the same time: a source waits for its running invocation, and the invocation ends with
  // its worker.
  stoppers.add(() => Promise.all([created?.stop(), ...sources.map((source) => source.stop())]));

  return {
    hosts,
    aws: toAwsAddresses(foundations, { events, scheduler, secrets }),
    payments: toPaymentAddresses(resources),
    logs: logDirectoryOf(options),
    functions: functions.map(({ shortName }) => shortName),
    invoke: (name, event) => lambda().invoke(name, event),
    kill: (name) => lambda().pool(name).killAll(),
    calls: () => calls,
    clearCalls: () => calls.splice(0),
    invocations: () => invocations,
    faults,
    queueFaults,
    queueUrl: (name) => findQueue(resources, name).ref,
    messages: (name) => sqs.messages(findQueue(resources, name).attribute('Arn')).map(({ body }) => body),
    stop: () => stoppers.stop(),
  };
}

interface Gateways {
  /** The base URL of each host. */
  readonly hosts: Record<string, string>;
  /** The same URLs, by the URLs that the template gives the APIs. */
  readonly apiUrls: ReadonlyMap<string, string>;
}

async function startGateways(
  resources: Resources,
  lambda: () => Lambda,
  { options, stoppers }: { readonly options: PlatformOptions; readonly stoppers: Stoppers },
): Promise<Gateways> {
  const { ports, integrationLimitMs } = options;
  const apis = readRestApis(resources);
  const names = toHostNames(apis.map(({ name }) => name));
  const gateways = await Promise.all(
    apis.map(async (api, index) => {
      const name = names[index] ?? api.name;
      const port = ports?.hosts?.[name] ?? 0;
      const gateway = await startGateway(api, { account: localAccount, lambda, port, integrationLimitMs });
      stoppers.add(() => gateway.stop());
      return { name, api, url: gateway.url };
    }),
  );
  return {
    hosts: Object.fromEntries(gateways.map(({ name, url }) => [name, url])),
    apiUrls: new Map(gateways.map(({ api, url }) => [toAwsUrl(api, localAccount), url])),
  };
}

/** The queue of payments is the one that the rules of partner buses deliver to. */
function toPaymentAddresses(resources: Resources): PaymentAddresses {
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

type EventEndpoints = Pick<AwsAddresses, 'events' | 'scheduler' | 'secrets'>;

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
