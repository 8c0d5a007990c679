import { readFile } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { type AwsSettings, endpointFromEnvironment } from '../../../shared/programs/aws-signature.ts';
import { ProgramSecrets } from '../../../shared/programs/programs.ts';
import { SecretsManager } from '../../../shared/programs/secrets-manager.ts';
import { openDocuments } from '../../../shared/runtime/runtime.ts';
import { CloudWatchLogs } from '../logs/cloudwatch-logs.ts';
import { LogFiles, type StageLogs } from '../logs/log-lines.ts';
import type { StageQueues } from '../reconcile/read-queues.ts';
import type { StageArchives } from '../replay/archives.ts';
import { OperatorError } from './text.ts';

export const stageNames = ['local', 'sandbox', 'production'] as const;
type StageName = (typeof stageNames)[number];

/** A deployed or local platform. */
export interface Stage {
  readonly name: StageName;
  readonly tableName: string;
  readonly documents: DynamoDBDocumentClient;
  /** The secrets that the platform shares with partners' own programs. */
  readonly secrets: ProgramSecrets;
  /** Undefined when the place of a local platform's queues is not known. */
  readonly queues: StageQueues | undefined;
  /** Undefined on the local platform, which archives no events. */
  readonly archives: StageArchives | undefined;
  /** Undefined when the place of a local platform's log files is not known. */
  readonly logs: StageLogs | undefined;
  /** Deletes an account of the local user pool. Undefined without one: on AWS the operator calls Cognito. */
  readonly deleteAccount: ((account: PoolAccount) => Promise<void>) | undefined;
  /** Returns the operator's proven identity. */
  readonly operator: () => Promise<string>;
  readonly close: () => void;
}

/** An account of a person at a user pool, in the words of Cognito's calls. */
interface PoolAccount {
  readonly UserPoolId: string;
  readonly Username: string;
}

/** The fields of `platform.json` that commands need. `npm start` writes the file into its state folder. */
const PlatformFile = z.object({
  aws: z.object({
    region: z.string(),
    dynamodb: z.url(),
    sqs: z.optional(z.url()),
    secrets: z.optional(z.url()),
    oidc: z.optional(z.url()),
    table: z.string(),
  }),
});

/** `npm start` uses six ports for the hosts, and the next ports for the services. */
const dynamoDbPortOffset = 6;
const sqsPortOffset = 7;
const secretsPortOffset = 10;
const oidcPortOffset = 16;
/** The local services accept any credentials. */
const localCredentials = { accessKeyId: 'operator', secretAccessKey: 'local' };

/** The options that choose a local platform. They have the same names as the options of `npm start`. */
export interface LocalOptions {
  readonly stateDir: string;
  readonly portBase?: number | undefined;
}

/** Opens the platform that `npm start` runs on this machine. @throws OperatorError when it does not run */
export async function openLocalStage({ stateDir, portBase }: LocalOptions): Promise<Stage> {
  const found = portBase === undefined ? await readState(stateDir) : await findTable(portBase);
  const { endpoint, sqs, secrets, oidc, region, table } = found;
  if (!(await isUp(endpoint))) throw notRunning(`nothing answers at ${endpoint}`);

  const client = new DynamoDBClient({ endpoint, region, credentials: localCredentials });
  const queues =
    sqs === undefined
      ? undefined
      : queuesOf('local', new SQSClient({ endpoint: sqs, region, credentials: localCredentials }));
  return {
    name: 'local',
    tableName: table,
    documents: openDocuments(client),
    secrets: secretsOf('local', client.config, secrets),
    queues,
    archives: undefined,
    logs: portBase === undefined ? new LogFiles(join(stateDir, 'logs')) : undefined,
    deleteAccount: oidc === undefined ? undefined : (account) => deleteLocalAccount(oidc, account),
    // Nothing proves an identity on this machine. With the variable `REWARDS_OPERATOR`, one person can also act as a
    // second operator.
    operator: async () => `${process.env.REWARDS_OPERATOR ?? userInfo().username}@${hostname()}`,
    close: () => {
      client.destroy();
      queues?.client.destroy();
    },
  };
}

/**
 * The names of a stage's queues contain the name of the stage: CloudFormation names a queue after its stack, and a
 * stack after its stage.
 */
const queuesOf = (stage: StageName, client: SQSClient): StageQueues => ({ client, namePrefix: `rewards-${stage}-` });

const secretsOf = (stage: StageName, settings: AwsSettings, endpoint?: string): ProgramSecrets =>
  new ProgramSecrets(new SecretsManager(settings, endpoint, () => new Date()), stage);

async function readState(stateDir: string) {
  const file = join(stateDir, 'platform.json');
  const text = await readFile(file, 'utf8').catch(() => {
    throw notRunning(`there is no ${file}`);
  });
  const { aws } = PlatformFile.parse(JSON.parse(text));
  return {
    endpoint: aws.dynamodb,
    sqs: aws.sqs,
    secrets: aws.secrets,
    oidc: aws.oidc,
    region: aws.region,
    table: aws.table,
  };
}

async function findTable(portBase: number) {
  const endpoint = `http://127.0.0.1:${portBase + dynamoDbPortOffset}`;
  const region = 'us-east-1';
  if (!(await isUp(endpoint))) throw notRunning(`nothing answers at ${endpoint}`);
  const client = new DynamoDBClient({ endpoint, region, credentials: localCredentials });
  const { TableNames: [table, ...others] = [] } = await client.send(new ListTablesCommand({}));
  client.destroy();
  if (table === undefined || others.length > 0) {
    throw new OperatorError(`${endpoint} has ${others.length + (table ? 1 : 0)} tables where the platform has one`);
  }
  const at = (offset: number) => `http://127.0.0.1:${portBase + offset}`;
  return { endpoint, sqs: at(sqsPortOffset), secrets: at(secretsPortOffset), oidc: at(oidcPortOffset), region, table };
}

/** Safe to repeat. @throws OperatorError when the user pool does not answer */
async function deleteLocalAccount(endpoint: string, account: PoolAccount): Promise<void> {
  const headers = { 'x-amz-target': 'AWSCognitoIdentityProviderService.AdminDeleteUser' };
  await fetch(endpoint, { method: 'POST', headers, body: JSON.stringify(account) }).catch(() => {
    throw new OperatorError(`no user pool answers at ${endpoint}, so the account ${account.Username} is still there`);
  });
}

const isUp = (endpoint: string) => fetch(endpoint).then(Boolean, () => false);

function notRunning(reason: string): OperatorError {
  return new OperatorError(
    `no platform runs on this machine (${reason}); start one with npm start, ` +
      'give its place with --state-dir or --port-base, or name a deployed stage with --stage',
  );
}

/**
 * Opens a stage on AWS with the operator's own credentials. The AWS SDK finds them as in every AWS tool.
 *
 * @throws OperatorError when the stage is not deployed there
 */
export async function openDeployedStage(name: StageName, region: string | undefined): Promise<Stage> {
  const place = region === undefined ? {} : { region };
  const tableName = await findTableName(name, new CloudFormationClient(place));
  const client = new DynamoDBClient(place);
  const queues = queuesOf(name, new SQSClient(place));
  const archives = { client: new EventBridgeClient(place), namePrefix: `rewards-${name}-` };
  return {
    name,
    tableName,
    documents: openDocuments(client),
    secrets: secretsOf(name, client.config, endpointFromEnvironment('SECRETS_MANAGER')),
    queues,
    archives,
    logs: new CloudWatchLogs(client.config, `rewards-${name}-`),
    deleteAccount: undefined,
    operator: () => loadIdentity(new STSClient(place)),
    close: () => {
      client.destroy();
      queues.client.destroy();
      archives.client.destroy();
    },
  };
}

/** The data stack has the table's name as an output. */
async function findTableName(stage: StageName, client: CloudFormationClient): Promise<string> {
  const stack = `rewards-${stage}-data`;
  try {
    const { Stacks: [found] = [] } = await client.send(new DescribeStacksCommand({ StackName: stack }));
    const output = found?.Outputs?.find(({ OutputKey }) => OutputKey === 'TableName')?.OutputValue;
    if (output === undefined) throw new OperatorError(`the stack ${stack} has no output TableName`);
    return output;
  } catch (error) {
    throw await toOperatorError(error, { stack, client });
  } finally {
    client.destroy();
  }
}

async function toOperatorError(
  error: unknown,
  { stack, client }: { readonly stack: string; readonly client: CloudFormationClient },
): Promise<unknown> {
  if (!(error instanceof Error)) return error;
  if (error.message.includes('Region is missing')) {
    return new OperatorError('no AWS region is set; give --region, or set AWS_REGION');
  }
  if (error.name !== 'ValidationError' || !error.message.includes('does not exist')) return error;
  const region = await client.config.region();
  return new OperatorError(
    `there is no stack ${stack} in ${region} for these credentials; ` +
      'give the region with --region, or deploy the stage first',
  );
}

async function loadIdentity(client: STSClient): Promise<string> {
  const { Arn } = await client.send(new GetCallerIdentityCommand({}));
  client.destroy();
  return Arn ?? 'unknown';
}
