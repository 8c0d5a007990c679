import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Account, localAccount } from './account.ts';
import { createPlatformClock, elapse, type PlatformClock } from './clock/platform-clock.ts';
import type { DynamoDbCall } from './dynamodb/call.ts';
import { Faults } from './dynamodb/faults.ts';
import { readRolePolicy } from './dynamodb/policy.ts';
import { type Caller, type DynamoDbProxy, type DynamoDbProxyOptions, startDynamoDbProxy } from './dynamodb/proxy.ts';
import { type EventSource, readMapping } from './lambda/event-source-mapping.ts';
import type { PoolOptions } from './lambda/function-pool.ts';
import {
  buildEnvironment,
  type Endpoints,
  type FunctionSettings,
  readFunctionSettings,
} from './lambda/function-settings.ts';
import { writeWorkerProgram } from './lambda/function-worker.ts';
import { Lambda } from './lambda/lambda.ts';
import { QueueFaults } from './lambda/queue-faults.ts';
import { SqsSource } from './lambda/sqs-source.ts';
import { StreamSource } from './lambda/stream-source.ts';
import type { Invocation, Platform, PlatformOptions } from './platform-options.ts';
import { waitUntilSettled } from './settled.ts';
import type { Sqs } from './sqs/sqs.ts';
import { Stoppers } from './stoppers.ts';
import { LocalUrls } from './template/local-urls.ts';
import type { Resource, Resources } from './template/resources.ts';
import { toAwsAddresses, toPaymentAddresses } from './wiring/addresses.ts';
import { startGateways } from './wiring/gateways.ts';
import { startIdentity } from './wiring/identity.ts';
import {
  createTargetSender,
  findQueue,
  findTables,
  listFunctions,
  type SendToTarget,
  startEvents,
  startFoundations,
  startParameters,
  startSchedules,
  startSecrets,
} from './wiring/services.ts';
import { startSites } from './wiring/sites.ts';

/** How long `settled` waits by default. */
const settleLimitMs = 30_000;

/** Returns the folder of the functions' logs. */
function logDirectoryOf({ stateDirectory }: PlatformOptions): string {
  return join(stateDirectory, 'logs');
}

interface LambdaContext {
  readonly endpoints: Endpoints;
  readonly localUrls: LocalUrls;
  /** Each invocation is added to this list, if the options ask for it. */
  readonly invocations: Invocation[];
  readonly clock: PlatformClock;
}

function createLambda(
  functions: readonly FunctionSettings[],
  { invocations, clock, ...context }: LambdaContext,
  options: PlatformOptions,
): Lambda {
  const { concurrency, environment: overrides, recordInvocations } = options;
  const isTimeShifted = clock.offset !== undefined;
  const program = resolve(options.stateDirectory, 'worker.mjs');
  mkdirSync(options.stateDirectory, { recursive: true });
  writeWorkerProgram(program);
  const poolOptions = (settings: FunctionSettings): PoolOptions => ({
    environment: buildEnvironment(settings, { ...context, account: localAccount, isTimeShifted, overrides }),
    program,
    clock,
    logDirectory: logDirectoryOf(options),
    ...(concurrency && { concurrency }),
    ...(recordInvocations && { onBegin: (event: string) => record(invocations, settings.shortName, event) }),
  });
  return new Lambda(functions, poolOptions, options.workers);
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

/** Finds the caller by its access key. A worker's key: its function's logical id, then `W`, then its thread's id. */
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
  readonly sqs: Sqs;
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
  const { account, lambda, send, sqs, queueFaults: faults } = context;
  const mapping = readMapping(resource);
  if (mapping.Enabled === false) return [];
  const service = mapping.EventSourceArn.split(':')[2];
  if (service === 'sqs') {
    const { endpoint, state: queueState } = sqs;
    return [new SqsSource({ account, lambda, mapping, endpoint, faults, queueState })];
  }
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
  const clock = createPlatformClock(options.clock);
  const context = { options, stoppers, clock };
  const foundations = await startFoundations(context);
  const { resources, dynamodb, sqs } = foundations;
  const functions = listFunctions(resources).map(readFunctionSettings);
  const calls: DynamoDbCall[] = [];
  const invocations: Invocation[] = [];
  const faults = createFaults(options);
  const queueFaults = new QueueFaults();

  // The functions need the endpoints of the services, and the services invoke the functions. So the services start
  // first and look up the functions later.
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
  const { bus, endpoint: events } = await startEvents(resources, send, context);
  const { scheduler, endpoint: schedules } = await startSchedules(resources, { bus, send }, context);
  const secrets = await startSecrets(resources, context);
  const localUrls = new LocalUrls();
  const parameters = await startParameters(resources, localUrls, context);
  const identity = await startIdentity(foundations, { lambda, localUrls }, context);
  const own = { events, scheduler: schedules, secrets: secrets.endpoint, parameters, oidc: identity?.url };
  const endpoints = { dynamodb: proxy?.endpoint ?? dynamodb.endpoint, sqs: sqs.endpoint, ...own };
  const hosts = await startGateways(resources, { lambda, localUrls }, context);
  const sites = await startSites({ resources, secrets: secrets.texts, localUrls, s3: sqs.endpoint }, context);
  created = createLambda(functions, { endpoints, localUrls, invocations, clock }, options);

  const account = localAccount;
  const dynamodbEndpoint = dynamodb.endpoint;
  const sources = startEventSources(resources, { account, lambda: created, sqs, dynamodbEndpoint, send, queueFaults });
  const parts = { lambda: created, sources, services: { clock, EventBridge: bus, 'EventBridge Scheduler': scheduler } };
  const settled = (limitMs = settleLimitMs): Promise<void> => waitUntilSettled(parts, limitMs);
  const listDueMs = (): (number | undefined)[] => [
    scheduler.findNextOneTimeMs(),
    ...sources.map((source) => source.findNextMs()),
  ];
  // Workers and sources stop at the same time: a source waits for its running invocation, and the invocation ends with
  // its worker.
  stoppers.add(() => Promise.all([created?.stop(), ...sources.map((source) => source.stop())]));

  return {
    hosts,
    sites,
    aws: toAwsAddresses(foundations, own),
    payments: toPaymentAddresses(resources),
    logs: logDirectoryOf(options),
    functions: functions.map(({ shortName }) => shortName),
    invoke: (name, event) => lambda().invoke(name, event),
    kill: (name) => lambda().pool(name).killAll(),
    calls: () => calls,
    clearCalls: () => calls.splice(0),
    addPeople: (people) => identity?.addPeople(people),
    invocations: () => invocations,
    clock,
    elapse: (byMs) => elapse(byMs, { clock, settled, listDueMs }),
    settled,
    faults,
    queueFaults,
    queueUrl: (name) => findQueue(resources, name).ref,
    messages: (name) => sqs.messages(findQueue(resources, name).attribute('Arn')).map(({ body }) => body),
    stop: () => stoppers.stop(),
  };
}
