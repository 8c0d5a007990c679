import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { stageSettings } from '../../infra/stages.ts';
import { mismatchText } from '../../shared/domain/reconciliation/invariants.ts';
import { composePlatform } from '../../shared/runtime/platform.ts';
import { readConfig } from '../../shared/runtime/runtime.ts';
import { createPlatformTable } from '../../test/support/create-table.ts';
import { makeDemoWorld } from '../admin/demo/world.ts';
import { reconcileTable } from '../admin/reconcile/reconcile-table.ts';
import { assemble, assembleBuilt } from '../build/assembly.ts';
import { buildArn, localAccount } from '../local/account.ts';
import { callAws, dynamoDbService } from '../local/aws-json.ts';
import { type DynamoDb, startDynamoDb } from '../local/dynamodb/dynamodb.ts';
import { type Platform, startPlatform } from '../local/platform.ts';
import { operatorEnvironment } from '../local/start/scripts.ts';
import { differences, exportTable, importItems, readExport, readItems, tallyOf } from './table-export.ts';

/** A slow machine needs long for the work of a purchase. */
const settleLimitMs = 180_000;

export interface DrillOptions {
  /** Folder for the functions, the export and the logs. */
  readonly folder: string;
  /** A folder that `assemble` wrote; without it, the drill builds the functions. */
  readonly assembled?: string | undefined;
  /** An export of a stage's table; without it, the drill makes a small world and exports that. */
  readonly exported?: string | undefined;
  /** Receives a line for each step. */
  readonly say?: (line: string) => void;
}

/** What the drill found. */
export interface DrillResult {
  readonly items: number;
  /** Every difference from the table before its loss; empty when the restore succeeded. */
  readonly faults: readonly string[];
  /** Milliseconds from the export to the last check. */
  readonly restoreMs: number;
}

const restored = 'restored';

/**
 * Plays a restore on this machine:
 * 1. It makes a table from an export, and compares counts and sums.
 * 2. It starts the stage with the new table (setting `restoredTable`).
 * 3. It reconciles the books.
 *
 * Without `exported`, it first exports and deletes the table of a small world. At the end, it finishes a purchase that
 * began before.
 */
export async function runDrill({
  folder,
  assembled,
  exported,
  say = () => undefined,
}: DrillOptions): Promise<DrillResult> {
  const dynamodb = await startDynamoDb();
  try {
    const built = assembled ?? folder;
    const assembly =
      assembled === undefined ? await assemble(folder, { dashboard: false }) : join(assembled, 'cdk.out');
    const exportFolder = exported ?? join(folder, 'export');
    const earlier =
      exported === undefined ? await liveAndExport({ dynamodb, assembly, folder, exportFolder }) : undefined;
    const items = readExport(exportFolder);
    say(`exported: ${items.length} items of ${Object.keys(tallyOf(items)).length} kinds`);

    const since = performance.now();
    const table = { endpoint: dynamodb.endpoint, name: restored };
    await createPlatformTable(clientOf(dynamodb), restored, { isStreamed: true });
    await importItems(table, items);
    say(`restored to the table ${restored}`);
    const faults = differences(items, await readItems(table));

    const platform = await startOnRestored({ dynamodb, built, folder });
    try {
      faults.push(...(await reconcile(platform)));
      say('compared counts and sums, and reconciled the books');
      if (earlier) {
        faults.push(...(await goOn(platform, earlier)), ...(await reconcile(platform)));
        say('a token and a member from before the loss bought again');
      }
    } finally {
      await platform.stop();
    }
    return { items: items.length, faults, restoreMs: performance.now() - since };
  } finally {
    await dynamodb.stop();
  }
}

const credentials = { accessKeyId: 'drill', secretAccessKey: 'drill' };
const clientOf = ({ endpoint }: DynamoDb) => new DynamoDBClient({ endpoint, region: localAccount.region, credentials });

interface Restored {
  readonly dynamodb: DynamoDb;
  /** The folder with the built functions. */
  readonly built: string;
  readonly folder: string;
}

/** Starts the same stage with the restored table instead of its own, as a deployment would. */
async function startOnRestored({ dynamodb, built, folder }: Restored): Promise<Platform> {
  const arn = buildArn(localAccount, 'dynamodb', `table/${restored}`);
  const restoredTable = { name: restored, arn, streamArn: `${arn}/stream/local` };
  const assembly = await assembleBuilt(built, 'restored.out', { ...stageSettings('local'), restoredTable });
  return startPlatform({ assembly, stateDirectory: join(folder, 'after'), dynamodb });
}

/** A member with a token, and the token of a purchase that is not finished. */
interface Earlier {
  readonly accessToken: string;
  readonly campaignId: number;
  readonly unspent: string;
}

interface Living {
  readonly dynamodb: DynamoDb;
  readonly assembly: string;
  readonly folder: string;
  readonly exportFolder: string;
}

/** Makes a world with purchases on a platform, exports its table, and deletes the table. */
async function liveAndExport({ dynamodb, assembly, folder, exportFolder }: Living): Promise<Earlier> {
  const platform = await startPlatform({ assembly, stateDirectory: join(folder, 'before'), dynamodb });
  const table = { endpoint: dynamodb.endpoint, name: platform.aws.table };
  try {
    Object.assign(process.env, operatorEnvironment(platform.aws));
    const demo = await makeDemoWorld(composePlatform(readConfig(process.env)));
    const accessToken = demo.members[0]?.accessToken ?? '';
    const { earn, redeem } = demo.campaigns;
    for (const [order, campaignId] of [earn, redeem, earn].entries()) {
      await create(
        platform,
        accessToken,
        await authenticate(platform, { accessToken, campaignId, order: `before-${order}` }),
      );
    }
    const unspent = await authenticate(platform, { accessToken, campaignId: earn, order: 'in-between' });
    await platform.settled(settleLimitMs);
    await exportTable(table, exportFolder);
    return { accessToken, campaignId: earn, unspent };
  } finally {
    await platform.stop();
    await callAws(dynamoDbService(table.endpoint), 'DeleteTable', { TableName: table.name });
  }
}

/** Spends the token from before the loss, and buys again. Returns the faults. */
async function goOn(platform: Platform, { accessToken, campaignId, unspent }: Earlier): Promise<string[]> {
  try {
    await create(platform, accessToken, unspent);
    await create(platform, accessToken, await authenticate(platform, { accessToken, campaignId, order: 'after' }));
    await platform.settled(settleLimitMs);
    return [];
  } catch (error) {
    return [`a purchase after the restore: ${error instanceof Error ? error.message : error}`];
  }
}

interface Purchase {
  readonly accessToken: string;
  readonly campaignId: number;
  readonly order: string;
}

async function authenticate(platform: Platform, { accessToken, campaignId, order }: Purchase): Promise<string> {
  const body = { transaction_amount: 20, external_transaction_id: order, campaign_id: campaignId };
  const data = await post(platform, { path: 'auth', accessToken, body });
  return String(data.authentication_id);
}

const create = (platform: Platform, accessToken: string, token: string) =>
  post(platform, { path: 'create', accessToken, body: { reward_authentication_token: token } });

async function post(
  { hosts }: Platform,
  { path, accessToken, body }: { readonly path: string; readonly accessToken: string; readonly body: object },
): Promise<Readonly<Record<string, unknown>>> {
  const headers = { 'content-type': 'application/json', 'x-api-key': accessToken };
  const url = `${hosts.reward}/reward_transaction/${path}`;
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
  return JSON.parse(text).data;
}

/** Reconciles the restored table as the operator's command does. Returns the violated invariants. */
async function reconcile({ aws }: Platform): Promise<string[]> {
  const environment = { ...operatorEnvironment(aws), TABLE_NAME: restored };
  Object.assign(process.env, environment);
  const stage = composePlatform(readConfig(process.env));
  const client = new DynamoDBClient({ endpoint: aws.dynamodb, region: aws.region, credentials });
  const table = { name: restored, documents: DynamoDBDocumentClient.from(client) };
  const { mismatches } = await reconcileTable(table, stage);
  return mismatches.map(mismatchText);
}
