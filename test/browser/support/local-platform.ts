import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { assembledFolder } from '../../support/assembled-folder.ts';

/** `npm start` with the data of the demonstration, in a folder of its own. */
export interface LocalPlatform {
  readonly hosts: { readonly reward: string };
  readonly sites: { readonly dashboard: string };
  /** The folder with its addresses, for the operator's commands. */
  readonly stateDirectory: string;
  readonly aws: { readonly dynamodb: string; readonly region: string; readonly table: string };
  readonly demo: { readonly members: readonly { readonly accessToken: string }[] };
}

/** A platform that this process has to stop. */
export interface StartedPlatform extends LocalPlatform {
  stop(): Promise<void>;
}

/** Starts the platform on free ports. Returns when it serves requests. */
export async function startLocalPlatform(directory: string): Promise<StartedPlatform> {
  const built = assembledFolder === undefined ? [] : ['--assembly', join(assembledFolder, 'cdk.out')];
  const child = spawn(process.execPath, ['tools/local/main.ts', '--state-dir', directory, ...built], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let printed = '';
  for await (const part of child.stdout) {
    printed += String(part);
    if (printed.includes('Ctrl-C')) break;
  }
  if (child.exitCode !== null) throw new Error(`the platform did not start: ${printed}`);
  const stop = async () => {
    child.kill('SIGINT');
    await exited;
  };
  return { ...JSON.parse(readFileSync(join(directory, 'platform.json'), 'utf8')), stateDirectory: directory, stop };
}

/** Signs a person of the demonstration in. */
export async function signIn(page: Page, { sites }: LocalPlatform, name: string): Promise<void> {
  await page.goto(sites.dashboard);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByText(name).click();
  await page.getByRole('link', { name: 'Campaigns' }).first().waitFor();
}
