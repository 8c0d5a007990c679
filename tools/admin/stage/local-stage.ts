import { readFile } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import { openDocuments } from '../../../shared/runtime/runtime.ts';
import { OperatorError } from '../cli/errors.ts';
import type { Stage } from './stage.ts';

/** What of `platform.json`, which `npm start` leaves in its state folder, is needed here. */
const PlatformFile = z.object({ aws: z.object({ region: z.string(), dynamodb: z.url(), table: z.string() }) });

/** `npm start` gives six ports to the hosts, and the next one to DynamoDB. */
const dynamoDbPort = 6;
/** DynamoDB Local takes any. */
const credentials = { accessKeyId: 'operator', secretAccessKey: 'local' };

/** How a platform on this machine is named: as `npm start` was told. */
export interface LocalOptions {
  readonly stateDir: string;
  readonly portBase?: number | undefined;
}

/** The platform that `npm start` runs on this machine. @throws OperatorError when it does not run */
export async function openLocalStage({ stateDir, portBase }: LocalOptions): Promise<Stage> {
  const { endpoint, region, table } = portBase === undefined ? await fromState(stateDir) : await fromPort(portBase);
  if (!(await answers(endpoint))) throw notRunning(`nothing answers at ${endpoint}`);

  const client = new DynamoDBClient({ endpoint, region, credentials });
  return {
    name: 'local',
    tableName: table,
    documents: openDocuments(client),
    operator: async () => `${userInfo().username}@${hostname()}`,
    close: () => client.destroy(),
  };
}

async function fromState(stateDir: string) {
  const file = join(stateDir, 'platform.json');
  const text = await readFile(file, 'utf8').catch(() => {
    throw notRunning(`there is no ${file}`);
  });
  const { aws } = PlatformFile.parse(JSON.parse(text));
  return { endpoint: aws.dynamodb, region: aws.region, table: aws.table };
}

async function fromPort(portBase: number) {
  const endpoint = `http://127.0.0.1:${portBase + dynamoDbPort}`;
  const region = 'us-east-1';
  if (!(await answers(endpoint))) throw notRunning(`nothing answers at ${endpoint}`);
  const client = new DynamoDBClient({ endpoint, region, credentials });
  const { TableNames: [table, ...others] = [] } = await client.send(new ListTablesCommand({}));
  client.destroy();
  if (table === undefined || others.length > 0) {
    throw new OperatorError(`${endpoint} has ${others.length + (table ? 1 : 0)} tables where the platform has one`);
  }
  return { endpoint, region, table };
}

const answers = (endpoint: string) => fetch(endpoint).then(Boolean, () => false);

function notRunning(because: string): OperatorError {
  return new OperatorError(
    `no platform runs on this machine (${because}); start one with npm start, ` +
      'say where it is with --state-dir or --port-base, or name a deployed one with --stage',
  );
}
