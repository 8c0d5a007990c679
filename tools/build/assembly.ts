import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type StageSettings, stageSettings } from '../../infra/stages.ts';
import { bundle, listFunctionFolders } from './bundle.ts';
import { buildDashboard } from './dashboard.ts';

/**
 * Builds every function and the dashboard, and synthesizes the stage `local`. Writes only to the given folder, so builds
 * with different folders can run at the same time. Returns the folder of the cloud assembly.
 *
 * @param options `dashboard: false` builds no dashboard; its site is empty
 */
export async function assemble(directory: string, { dashboard = true } = {}): Promise<string> {
  // esbuild and Vite run in their own processes, so the CDK is loaded at the same time.
  await Promise.all([
    bundle(listFunctionFolders(), builtIn(directory), { hasMaps: false }),
    dashboard ? buildDashboard(dashboardIn(directory)) : emptyFolder(dashboardIn(directory)),
    loadCdk(),
  ]);
  return assembleBuilt(directory, 'cdk.out', stageSettings('local'));
}

/** Synthesizes a stage from the functions and the dashboard that `assemble` built in the folder. */
export async function assembleBuilt(directory: string, name: string, stage: StageSettings): Promise<string> {
  const outdir = join(directory, name);
  // The template checks run in CI. Here they would double the waiting time.
  process.env.CDK_VALIDATION = 'false';
  const [{ rewardsPlatform }, { Code }] = await loadCdk();
  const context = { 'aws:cdk:disable-stack-trace': true };
  const code = (folder: string) => Code.fromAsset(join(builtIn(directory), folder));
  rewardsPlatform({ stage, context, outdir, code, dashboard: dashboardIn(directory) }).synth();
  return outdir;
}

const builtIn = (directory: string): string => join(directory, 'dist');
const dashboardIn = (directory: string): string => join(directory, 'dashboard');

async function emptyFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
}

const loadCdk = () => Promise.all([import('../../infra/platform-app.ts'), import('aws-cdk-lib/aws-lambda')]);
