import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inject } from 'vitest';
import { type Platform, type PlatformOptions, startPlatform } from '../../../../tools/local/platform.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { dataStack, workStack } from './fixture-template.ts';
import { type Puppeteer, startPuppeteer } from './puppeteer.ts';

function write(file: string, content: object): void {
  writeFileSync(file, JSON.stringify(content));
}

/** Writes a cloud assembly like `cdk synth`. `name` separates its tables from those of other tests. */
export function writeAssembly(directory: string, name: string, more: Record<string, object> = {}): string {
  mkdirSync(directory, { recursive: true });
  const stacks = { [`${name}-data`]: dataStack(`${name}-data`), [`${name}-work`]: workStack(`${name}-data`) };
  if (Object.keys(more).length > 0) stacks[`${name}-more`] = { Resources: more };
  const artifacts = Object.entries(stacks).map(([stackName, template]) => {
    write(join(directory, `${stackName}.template.json`), template);
    return [
      stackName,
      { type: 'aws:cloudformation:stack', properties: { templateFile: `${stackName}.template.json` } },
    ];
  });
  write(join(directory, 'assets.json'), {
    files: {
      puppet: {
        source: { path: resolve('test/fixtures/puppet'), packaging: 'zip' },
        destinations: { current: { objectKey: 'puppet.zip' } },
      },
    },
  });
  const assets = { type: 'cdk:asset-manifest', properties: { file: 'assets.json' } };
  write(join(directory, 'manifest.json'), { artifacts: { ...Object.fromEntries(artifacts), assets } });
  return directory;
}

export interface Fixture {
  readonly platform: Platform;
  readonly puppeteer: Puppeteer;
  readonly directory: string;
  stop(): Promise<void>;
}

/** Starts the fixture's platform on the test run's DynamoDB Local, and the puppeteer that controls its functions. */
export async function startFixture(name: string, options: Partial<PlatformOptions> = {}): Promise<Fixture> {
  const directory = temporaryFolder('platform');
  const puppeteer = await startPuppeteer();
  const platform = await startPlatform({
    assembly: writeAssembly(join(directory, 'cdk.out'), name),
    stateDirectory: directory,
    dynamodb: { endpoint: inject('dynamoDbEndpoint'), pid: 0, ended: new Promise(() => {}), stop: async () => {} },
    concurrency: 2,
    ...options,
    environment: { PUPPETEER_URL: puppeteer.url, ...options.environment },
  });
  const stop = async (): Promise<void> => {
    await platform.stop();
    await puppeteer.stop();
  };
  return { platform, puppeteer, directory, stop };
}
