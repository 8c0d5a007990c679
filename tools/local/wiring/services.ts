import { join } from 'node:path';
import { localAccount } from '../account.ts';
import type { PlatformClock } from '../clock/platform-clock.ts';
import { type DynamoDb, startDynamoDb } from '../dynamodb/dynamodb.ts';
import { createTable } from '../dynamodb/tables.ts';
import { createEventBus, type EventBus } from '../eventbridge/bus.ts';
import { type Rule, readTarget } from '../eventbridge/rule.ts';
import { createEventBridgeServer } from '../eventbridge/server.ts';
import type { Lambda } from '../lambda/lambda.ts';
import { createParametersServer } from '../parameters/server.ts';
import type { PlatformOptions } from '../platform-options.ts';
import type { InvokeTarget } from '../scheduler/schedule-runner.ts';
import { createScheduler, type Scheduler } from '../scheduler/scheduler.ts';
import { createSchedulerServer } from '../scheduler/server.ts';
import { createSecretsServer } from '../secrets/server.ts';
import { makeSecrets, type SecretTexts } from '../secrets/template-secrets.ts';
import { type Sqs, startSqs } from '../sqs/sqs.ts';
import type { Stoppers } from '../stoppers.ts';
import { loadAssembly } from '../template/assembly.ts';
import type { LocalUrls } from '../template/local-urls.ts';
import { type Resource, Resources } from '../template/resources.ts';

// Starts the local services that stand in for AWS: DynamoDB, SQS, the event bus, the scheduler and their targets.

/** Options of a message to a queue. Functions ignore them. */
interface TargetOptions {
  readonly messageAttributes?: Readonly<Record<string, string>> | undefined;
}

/** Sends a body to the target with an ARN. Rejects when the delivery failed. */
export type SendToTarget = (arn: string, body: string, options?: TargetOptions) => Promise<void>;

/** The target's kind is not emulated, so a retry would fail too. */
class UnknownTargetError extends Error {
  override readonly name = 'UnknownTargetError';
  readonly retryable = false;
}

/** Sends to a queue or a function, which is the target of a rule or schedule, or a destination for failures. */
export function createTargetSender(sqs: Sqs, lambda: () => Lambda): SendToTarget {
  return async (arn, body, options = {}) => {
    const service = arn.split(':')[2];
    if (service === 'sqs') sqs.send(arn, body, options);
    else if (service === 'lambda') lambda().invokeLater(arn, body);
    else throw new UnknownTargetError(`the local platform cannot send to ${arn}`);
  };
}

/** The template's resources and the services that keep state. */
export interface Foundations {
  readonly resources: Resources;
  readonly dynamodb: DynamoDb;
  readonly sqs: Sqs;
}

/**
 * Reads the template. Starts DynamoDB and SQS with the tables and queues of the template.
 * @throws Error when the template has an unknown resource; then DynamoDB is not started
 */
export async function startFoundations({ options, stoppers, clock }: StartContext): Promise<Foundations> {
  const stacks = loadAssembly(options.assembly);
  const sqs = await startQueues({ options, stoppers, clock });
  const resources = new Resources(stacks, { account: localAccount, sqsEndpoint: sqs.endpoint });
  const dynamodb = options.dynamodb ?? (await startOwnDynamoDb(options, stoppers));

  for (const queue of resources.ofType('AWS::SQS::Queue')) sqs.createQueue(queue);
  await Promise.all(findTables(resources).map((table) => createTable(dynamodb.endpoint, table)));
  return { resources, dynamodb, sqs };
}

async function startOwnDynamoDb(options: PlatformOptions, stoppers: Stoppers): Promise<DynamoDb> {
  const { persist, ports, stateDirectory } = options;
  const dynamodb = await startDynamoDb({
    port: ports?.dynamodb ?? 0,
    dataDirectory: persist ? join(stateDirectory, 'data', 'dynamodb') : undefined,
  });
  stoppers.add(() => dynamodb.stop());
  return dynamodb;
}

async function startQueues({ options, stoppers, clock }: StartContext): Promise<Sqs> {
  const { persist, ports, stateDirectory, visibilityTimeoutSeconds } = options;
  const sqs = await startSqs({
    account: localAccount,
    clock,
    port: ports?.sqs ?? 0,
    dataDirectory: persist ? join(stateDirectory, 'data', 'sqs') : undefined,
    visibilityTimeoutSeconds,
  });
  stoppers.add(() => sqs.stop());
  return sqs;
}

export function findTables(resources: Resources): Resource[] {
  return resources.ofType('AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table');
}

/** The functions of the platform: all but those by which CDK makes custom resources. */
export function listFunctions(resources: Resources): Resource[] {
  const custom = resources.all.filter(({ type }) => type.startsWith('Custom::'));
  const makers = new Set(custom.map((resource) => resource.properties<{ ServiceToken: string }>().ServiceToken));
  return resources.ofType('AWS::Lambda::Function').filter((resource) => !makers.has(resource.attribute('Arn')));
}

/**
 * Finds a queue by its name or logical id, or by a part of one of them.
 * @throws Error with the known queues when no queue, or more than one, matches
 */
export function findQueue(resources: Resources, wanted: string): Resource {
  const queues = resources.ofType('AWS::SQS::Queue');
  const namesOf = (queue: Resource): string[] => [queue.attribute('QueueName'), queue.logicalId];
  const exact = queues.find((queue) => namesOf(queue).includes(wanted));
  const partial = queues.filter((queue) => namesOf(queue).some((name) => name.includes(wanted)));
  const found = exact ?? (partial.length === 1 ? partial[0] : undefined);
  if (found) return found;
  const known = queues.map(({ logicalId }) => logicalId).join(', ');
  throw new Error(
    `"${wanted}" matches ${partial.length === 0 ? 'no queue' : 'several queues'}; the queues are ${known}`,
  );
}

export interface Events {
  readonly bus: EventBus;
  readonly endpoint: string;
}

const { id: accountId, region } = localAccount;

/** Starts EventBridge with the buses and rules of the template. */
export async function startEvents(
  resources: Resources,
  send: SendToTarget,
  { options: { ports }, stoppers, clock }: StartContext,
): Promise<Events> {
  const bus = createEventBus({
    clock,
    accountId,
    region,
    buses: resources.ofType('AWS::Events::EventBus').map(({ ref }) => ref),
    rules: resources.ofType('AWS::Events::Rule').map(readRule),
    deliver: ({ arn, messageAttributes }, body) => send(arn, body, { messageAttributes }),
  });
  const server = createEventBridgeServer(bus);
  stoppers.add(() => bus.close());
  const endpoint = await server.listen(ports?.events);
  stoppers.add(() => server.close());
  return { bus, endpoint };
}

/** Starts Secrets Manager with the secrets of the template, and with those that were kept. */
export async function startSecrets(
  resources: Resources,
  { options: { persist, ports, stateDirectory }, stoppers, clock }: StartContext,
): Promise<{ readonly endpoint: string; readonly texts: SecretTexts }> {
  const file = persist ? join(stateDirectory, 'data', 'secrets.json') : undefined;
  const server = createSecretsServer(file, clock.now);
  const texts = makeSecrets(resources, server);
  const endpoint = await server.listen(ports?.secrets);
  stoppers.add(() => server.close());
  return { endpoint, texts };
}

/** Starts the Parameter Store with the parameters of the template. URLs in them lead to this machine. */
export async function startParameters(
  resources: Resources,
  localUrls: LocalUrls,
  { options: { ports }, stoppers }: StartContext,
): Promise<string> {
  const read = (): Map<string, string> =>
    new Map(
      resources.ofType('AWS::SSM::Parameter').map((resource) => {
        const { Name, Value } = resource.properties<{ Name: string; Value: string }>();
        return [Name, localUrls.localize(Value)];
      }),
    );
  const server = createParametersServer(read);
  const endpoint = await server.listen(ports?.parameters);
  stoppers.add(() => server.close());
  return endpoint;
}

export interface Schedules {
  readonly scheduler: Scheduler;
  readonly endpoint: string;
}

/** Starts EventBridge Scheduler with the schedules of the template. */
export async function startSchedules(
  resources: Resources,
  { bus, send }: { readonly bus: EventBus; readonly send: SendToTarget },
  { options: { ports, schedules = true }, stoppers, clock }: StartContext,
): Promise<Schedules> {
  const scheduler = createScheduler({
    clock,
    accountId,
    region,
    groups: resources.ofType('AWS::Scheduler::ScheduleGroup').map(({ ref }) => ref),
    schedules: schedules ? resources.ofType('AWS::Scheduler::Schedule').map(readSchedule) : [],
    invokeTarget: createInvoker(send, bus),
  });
  stoppers.add(() => scheduler.close());
  const server = createSchedulerServer(scheduler);
  const endpoint = await server.listen(ports?.scheduler);
  stoppers.add(() => server.close());
  return { scheduler, endpoint };
}

export interface StartContext {
  readonly options: PlatformOptions;
  readonly stoppers: Stoppers;
  readonly clock: PlatformClock;
}

interface RuleProperties {
  readonly EventBusName?: string;
  readonly EventPattern?: object;
  readonly State?: 'ENABLED' | 'DISABLED';
  readonly Targets?: readonly object[];
}

function readRule(resource: Resource): Rule {
  const properties = resource.properties<RuleProperties>();
  const { EventBusName = 'default', EventPattern, State, Targets = [] } = properties;
  if (!EventPattern) {
    throw new Error(`${resource.logicalId}: rules with a schedule do not run here; use EventBridge Scheduler`);
  }
  return {
    name: resource.ref,
    busName: EventBusName.replace(/^arn:.*:event-bus\//, ''),
    pattern: EventPattern,
    state: State,
    targets: Targets.map(readTarget),
  };
}

function readSchedule(resource: Resource): object {
  return { ...resource.properties<object>(), Name: resource.ref };
}

/** Delivers a schedule's payload to its target. */
function createInvoker(send: SendToTarget, bus: EventBus): InvokeTarget {
  return async (target, payload) => {
    if (target.kind !== 'event-bus') return send(target.arn, payload, target.kind === 'sqs' ? target : {});
    const { arn, source, detailType } = target;
    const [entry] = bus.putEvents([{ EventBusName: arn, Source: source, DetailType: detailType, Detail: payload }]);
    if (entry && 'ErrorCode' in entry) throw new Error(String(entry.ErrorCode));
  };
}
