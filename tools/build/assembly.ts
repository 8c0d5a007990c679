import { join } from 'node:path';
import { type StageSettings, stageSettings } from '../../infra/stages.ts';
import { bundle, listFunctionFolders } from './bundle.ts';

/**
 * Builds every function and synthesizes the stage `local`. Writes only to the given folder, so builds with different
 * folders can run at the same time. Returns the folder of the cloud assembly.
 */
export async function assemble(directory: string): Promise<string> {
  // esbuild runs in its own process, so the CDK is loaded at the same time.
  await Promise.all([bundle(listFunctionFolders(), builtIn(directory), { hasMaps: false }), loadCdk()]);
  return assembleBuilt(directory, 'cdk.out', stageSettings('local'));
}

/** Synthesizes a stage from the functions that `assemble` built in the folder. */
export async function assembleBuilt(directory: string, name: string, stage: StageSettings): Promise<string> {
  const outdir = join(directory, name);
  // The template checks run in CI. Here they would double the waiting time.
  process.env.CDK_VALIDATION = 'false';
  const [{ rewardsPlatform }, { Code }] = await loadCdk();
  const context = { 'aws:cdk:disable-stack-trace': true };
  const code = (folder: string) => Code.fromAsset(join(builtIn(directory), folder));
  rewardsPlatform({ stage, context, outdir, code }).synth();
  return outdir;
}

const builtIn = (directory: string): string => join(directory, 'dist');

const loadCdk = () => Promise.all([import('../../infra/platform-app.ts'), import('aws-cdk-lib/aws-lambda')]);
