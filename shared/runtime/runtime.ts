import { randomBytes } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { QueueName } from '../contracts/consumer.ts';
import { awsCallMs, maximumAttempts } from '../contracts/limits.ts';
import { integerIdOf, uuidOf } from '../domain/ids.ts';
import { once } from '../domain/memoize.ts';
import type { Deps, Log, OperationDeps, Sources, StoreClasses, Stores } from '../operations/operation.ts';
import { requestIdOf, TableClient } from '../store/table/table-client.ts';

// The composition of a function: configuration, log, sources, repositories.

/** The environment of a function. The stacks set every name that is read here. */
const Environment = z.object({
  /** Part of every key and token. Keys and tokens of another stage are therefore rejected before a look-up. */
  STAGE: z.string().check(z.regex(/^[a-z]+$/)),
  TABLE_NAME: z.string().check(z.minLength(1)),
  /** Hosts that webhooks may be sent to over http. Set only on a developer's machine. */
  WEBHOOK_HTTP_HOSTS: z.pipe(
    z._default(z.string(), ''),
    z.transform((hosts: string) => hosts.split(',').filter(Boolean)),
  ),
  /** The URL of the function's host for callers, without a slash at the end. Only endpoints have it. */
  BASE_URL: z._default(z.string(), ''),
  BUS_NAME: z.optional(z.string()),
  QUEUE_URL_DELIVER: z.optional(z.string()),
  QUEUE_URL_DELIVER_SLOW: z.optional(z.string()),
  QUEUE_URL_ENDPOINT: z.optional(z.string()),
  DEAD_LETTER_URL: z.optional(z.string()),
  QUEUE_URL_PROGRAM: z.optional(z.string()),
  /** Set only on a developer's machine. */
  AWS_ENDPOINT_URL_SECRETS_MANAGER: z.optional(z.string()),
  AWS_ENDPOINT_URL_SSM: z.optional(z.string()),
  AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: z.optional(z.string()),
  SCHEDULE_GROUP: z.optional(z.string()),
  SCHEDULE_ROLE_ARN: z.optional(z.string()),
  SCHEDULE_TARGET_ARN: z.optional(z.string()),
  SCHEDULE_DEAD_LETTER_ARN: z.optional(z.string()),
});

export type Config = ReturnType<typeof readConfig>;

/**
 * Reads the configuration.
 *
 * @throws ZodError that names every variable that is missing or wrong
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>) {
  const parsed = Environment.parse(environment);
  const queueUrls: Readonly<Partial<Record<QueueName | 'deadLetters', string | undefined>>> = {
    deliver: parsed.QUEUE_URL_DELIVER,
    deliverSlow: parsed.QUEUE_URL_DELIVER_SLOW,
    endpoint: parsed.QUEUE_URL_ENDPOINT,
    program: parsed.QUEUE_URL_PROGRAM,
    deadLetters: parsed.DEAD_LETTER_URL,
  };
  return {
    stage: parsed.STAGE,
    tableName: parsed.TABLE_NAME,
    webhookHttpHosts: parsed.WEBHOOK_HTTP_HOSTS,
    baseUrl: parsed.BASE_URL,
    busName: parsed.BUS_NAME,
    queueUrls,
    secretsEndpoint: parsed.AWS_ENDPOINT_URL_SECRETS_MANAGER,
    parametersEndpoint: parsed.AWS_ENDPOINT_URL_SSM,
    issuerEndpoint: parsed.AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER,
    /** One-time schedules: their group, their role, the bus they publish to, and the queue for failed calls. */
    clock: {
      groupName: parsed.SCHEDULE_GROUP,
      roleArn: parsed.SCHEDULE_ROLE_ARN,
      targetArn: parsed.SCHEDULE_TARGET_ARN,
      deadLetterArn: parsed.SCHEDULE_DEAD_LETTER_ARN,
    },
  } as const;
}

/** The deps that every function uses, made once for each instance of the function. */
export interface Runtime extends OperationDeps {
  readonly config: Config;
}

/** The parts of a runtime that a caller may replace. */
export interface RuntimeParts {
  readonly sources: Sources;
  readonly table: TableClient;
  readonly log: Log;
}

/** The structured log of this function: JSON lines with the request's id. */
export const logger = once(() => new Logger());

/** The runtime that the environment of this process configures. It writes to {@link logger}. */
export const runtime = once(() => openRuntime(readConfig(process.env), { log: withRequestId(logger()) }));

/** A log whose lines contain the id of the request that the present work follows from. */
function withRequestId(log: Log): Log {
  const add = (data: Readonly<Record<string, unknown>>) => ({ requestId: requestIdOf(), ...data });
  return {
    info: (message, data) => log.info(message, add(data)),
    warn: (message, data) => log.warn(message, add(data)),
    error: (message, data) => log.error(message, add(data)),
  };
}

/** A runtime on the table that the configuration names. Without `parts.log`, the runtime logs nothing. */
export function openRuntime(
  config: Config,
  { sources = systemSources(), table = openTable(config), log = silentLog }: Partial<RuntimeParts> = {},
): Runtime {
  return { ...sources, config, log, table };
}

const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** The settings of every AWS client. A call that gets no answer in time is repeated. */
export const awsClientSettings = () => ({
  maxAttempts: maximumAttempts.awsCall,
  requestHandler: {
    connectionTimeout: awsCallMs.connect,
    requestTimeout: awsCallMs.request,
    // Without this setting, the client library only writes a warning when the time is over.
    throwOnRequestTimeout: true,
  },
});

/** The client of the configuration's table. */
function openTable(config: Config): TableClient {
  return new TableClient(openDocuments(new DynamoDBClient(awsClientSettings())), config.tableName);
}

/** A client whose items are plain objects. */
export function openDocuments(client: DynamoDBClient): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}

/**
 * Makes a runtime with repositories on its table. Each function names only the repositories that it uses. This keeps
 * its bundle small, and it builds fewer schemas at its start.
 */
export function withStores<Classes extends StoreClasses>(base: Runtime, classes: Classes): Runtime & Deps<Classes> {
  const stores = Object.entries(classes).map(([name, Store]) => [name, new Store(base.table, base)]);
  return { ...base, ...(Object.fromEntries(stores) as Stores<Classes>) };
}

function systemSources(): Sources {
  const now = () => new Date();
  const nextUuid = () => uuidOf(now(), randomBytes(10));
  const nextIds = () => {
    const uuid = nextUuid();
    const id = integerIdOf(uuid);
    if (id === undefined) throw new RangeError(`${uuid} has no integer id`);
    return { uuid, id };
  };
  return { now, random: randomBytes, nextUuid, nextIds };
}
