import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type StageSettings, stageNames, stageSettings } from '../../infra/stages.ts';
import { secretNameOf, syntheticSecret } from '../../shared/contracts/consumer.ts';
import { endpointFromEnvironment } from '../../shared/programs/aws-signature.ts';
import { SecretsManager } from '../../shared/programs/secrets-manager.ts';
import { composePlatform } from '../../shared/runtime/platform.ts';
import { readConfig } from '../../shared/runtime/runtime.ts';
import { TableClient } from '../../shared/store/table/table-client.ts';
import { openDeployedStage } from '../admin/cli/stage.ts';
import { makeDemoWorld } from '../admin/demo/world.ts';
import { findAccount } from '../aws-account.ts';
import { CommandError, readOptions, runCommand, UsageError } from '../command.ts';
import { needsAccount, outputsIn, readTenant, syntheticTenantOf, testsFor, type Urls, urlsOf } from './smoke.ts';

const usage = `npm run smoke -- --stage sandbox|production [--make-tenant | --make-synthetic]

Runs the flow tests that are safe on a deployed stage against its hosts. Ends with the status of the tests.

  --stage NAME    the stage
  --make-tenant   makes the test tenant and prints it; needed once for production
  --make-synthetic
                  makes the tenant of the synthetic purchase, and stores it as the secret that the function reads; a
                  second tenant takes the place of the first
  --help          prints this help

The tests act for a test tenant: two merchants, a partner and members. It is in the variable SMOKE_TENANT. Without the
variable, a tenant is made for the run, but not where real members are: there it would stay in every list.`;

/** Makes a tenant with the operator's own credentials. */
async function makeTenant({ name, region }: StageSettings, label = 'Smoke test: ') {
  const stage = await openDeployedStage(name, region);
  try {
    const config = readConfig({ STAGE: name, TABLE_NAME: stage.tableName, BASE_URL: '' });
    const table = new TableClient(stage.documents, stage.tableName);
    return await makeDemoWorld(composePlatform(config, { table }), label);
  } finally {
    stage.close();
  }
}

/**
 * Makes the tenant of the synthetic purchase. Stores the tenant in the secret that the function reads. Returns the name
 * of the secret.
 */
async function makeSynthetic(settings: StageSettings, urls: Urls): Promise<string> {
  const tenant = syntheticTenantOf(urls, await makeTenant(settings, 'Synthetic purchase: '));
  const secrets = new SecretsManager(
    new DynamoDBClient({ region: settings.region }).config,
    endpointFromEnvironment('SECRETS_MANAGER'),
    () => new Date(),
  );
  const secret = secretNameOf(settings.name, syntheticSecret);
  await secrets.write(secret, JSON.stringify(tenant));
  return secret;
}

async function main(): Promise<number> {
  const {
    stage,
    'make-tenant': isMaking,
    'make-synthetic': isSynthetic,
    help,
  } = readOptions({
    options: {
      stage: { type: 'string' },
      'make-tenant': { type: 'boolean', default: false },
      'make-synthetic': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  }).values;
  if (help) {
    console.log(usage);
    return 0;
  }
  const name = stageNames.find((known) => known === stage);
  if (name === undefined || name === 'local') throw new UsageError('name a stage: --stage sandbox|production');
  const settings = stageSettings(name);
  const given = readTenant(process.env.SMOKE_TENANT);
  if (given === undefined && settings.keepsData && !isMaking && !isSynthetic) {
    throw new CommandError(`${name} needs a standing tenant: make one with --make-tenant, and set SMOKE_TENANT to it`);
  }
  if (needsAccount(settings) || given === undefined || isMaking || isSynthetic) await findAccount(settings.region);
  if (isMaking) {
    console.log(JSON.stringify(await makeTenant(settings)));
    return 0;
  }
  if (isSynthetic) {
    const secret = await makeSynthetic(settings, await urlsOf(settings, outputsIn(settings.region)));
    console.log(
      `wrote the secret ${secret}; now set syntheticPurchase of ${name} to true in infra/stages.ts, and deploy`,
    );
    return 0;
  }
  const hosts = await urlsOf(settings, outputsIn(settings.region));
  const demo = given ?? (await makeTenant(settings));
  const env = { ...process.env, HOSTS: JSON.stringify({ hosts, demo }) };
  const vitest = fileURLToPath(new URL('../../node_modules/.bin/vitest', import.meta.url));
  const { status, error } = spawnSync(vitest, ['run', '--project', 'flow', ...testsFor(settings)], {
    stdio: 'inherit',
    env,
  });
  if (error) throw new CommandError(`the tests cannot be started: ${error.message}`);
  return status ?? 1;
}

await runCommand(main);
