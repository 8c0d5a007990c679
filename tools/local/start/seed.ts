import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AwsAddresses } from '../platform-options.ts';
import { runScript } from './command.ts';

export interface SeedOptions {
  readonly aws: AwsAddresses;
  readonly stateDirectory: string;
  /** Tables that were kept hold an earlier seed's data, whose credentials were kept with them. */
  readonly persist: boolean;
  readonly signal: AbortSignal;
}

type Demo = Readonly<Record<string, unknown>>;

/** How an operator's command is told where the platform is: as the SDKs and our functions are told. */
export function operatorEnvironment(aws: AwsAddresses): Record<string, string> {
  return {
    STAGE: 'local',
    TABLE_NAME: aws.table,
    BUS_NAME: aws.bus,
    AWS_REGION: aws.region,
    AWS_ACCESS_KEY_ID: 'operator',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: aws.dynamodb,
    AWS_ENDPOINT_URL_SQS: aws.sqs,
    AWS_ENDPOINT_URL_EVENTBRIDGE: aws.events,
    AWS_ENDPOINT_URL_SCHEDULER: aws.scheduler,
  };
}

/** Makes the demonstration's world with `tools/admin/seed.ts` and gives back what that printed. */
export async function seed({ aws, stateDirectory, persist, signal }: SeedOptions): Promise<Demo> {
  const kept = join(stateDirectory, 'data', 'demo.json');
  if (persist && existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8')) as Demo;

  const printed = await runScript('tools/admin/seed.ts', { environment: operatorEnvironment(aws), signal });
  const demo = JSON.parse(printed.trim().split('\n').at(-1) ?? '{}') as Demo;
  if (persist) {
    mkdirSync(dirname(kept), { recursive: true });
    writeFileSync(kept, JSON.stringify(demo));
  }
  return demo;
}
