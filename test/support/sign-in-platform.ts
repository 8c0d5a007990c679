import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { inject } from 'vitest';
import { contracts } from '../../functions/contracts.ts';
import { managementResources } from '../../functions/management/contracts.ts';
import { rewardsPlatform } from '../../infra/platform-app.ts';
import { stageSettings } from '../../infra/stages.ts';
import { hosts } from '../../shared/contracts/contract.ts';
import { composePlatform, type Platform as Operators } from '../../shared/runtime/platform.ts';
import { openDocuments, readConfig } from '../../shared/runtime/runtime.ts';
import { TableClient } from '../../shared/store/table/table-client.ts';
import { bundle } from '../../tools/build/bundle.ts';
import { type Platform, startPlatform } from '../../tools/local/platform.ts';
import { findFreePort } from '../../tools/local/ports.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A platform with the functions of the sign-in alone, behind its delivery network, with its user pool. */
export interface SignInPlatform {
  readonly platform: Platform;
  readonly dashboardUrl: string;
  /** The API, past the delivery network. */
  readonly managementUrl: string;
  /** The platform as an operator uses it. Its clock is the platform's. */
  readonly operators: Operators;
}

/** Starts the platform from the real stacks, on the test run's DynamoDB Local, with a clock that tests move. */
export async function startSignInPlatform(): Promise<SignInPlatform> {
  const directory = temporaryFolder('sign-in');
  const management = await findFreePort();
  const platform = await startPlatform({
    assembly: await assembleSignIn(directory),
    stateDirectory: directory,
    dynamodb: { endpoint: inject('dynamoDbEndpoint'), pid: 0, ended: new Promise(() => {}), stop: async () => {} },
    clock: 'controlled',
    schedules: false,
    enforceIam: true,
    concurrency: 2,
    ports: { hosts: { management } },
  });
  return {
    platform,
    dashboardUrl: platform.sites.dashboard ?? '',
    managementUrl: `http://127.0.0.1:${management}`,
    operators: openOperators(platform),
  };
}

async function assembleSignIn(directory: string): Promise<string> {
  process.env.CDK_VALIDATION = 'false';
  const built = join(directory, 'dist');
  const own = ['management/session', 'identity/admit-sign-up'];
  await bundle(own, built, { hasMaps: false });
  const outdir = join(directory, 'cdk.out');
  // Every host needs an endpoint. Nobody calls it, so it has the code of another function.
  const onePerHost = hosts.flatMap((host) => contracts.find((contract) => contract.host === host) ?? []);
  const { session = [] } = managementResources;
  rewardsPlatform({
    stage: stageSettings('local'),
    functions: { contracts: onePerHost, consumers: [], resources: { session } },
    code: (folder) => Code.fromAsset(join(built, own.includes(folder) ? folder : 'management/session')),
    context: { 'aws:cdk:disable-stack-trace': true },
    ...{ outdir, dashboard: 'test/fixtures/site' },
  }).synth();
  return outdir;
}

function openOperators({ aws, clock }: Platform): Operators {
  const credentials = { accessKeyId: 'operator', secretAccessKey: 'local' };
  const documents = openDocuments(new DynamoDBClient({ endpoint: aws.dynamodb, region: aws.region, credentials }));
  const operators = composePlatform(readConfig({ STAGE: 'local', TABLE_NAME: aws.table }), {
    table: new TableClient(documents, aws.table),
  });
  return { ...operators, now: () => new Date(clock.now()) };
}
