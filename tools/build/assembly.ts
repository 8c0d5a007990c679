import { join } from 'node:path';
import { bundle, listFunctionFolders } from './bundle.ts';

/**
 * Builds every function and synthesizes the stage `local`. Writes only to the given folder, so builds can run at the
 * same time. Returns the folder of the cloud assembly.
 */
export async function assemble(directory: string): Promise<string> {
  const built = join(directory, 'dist');
  const outdir = join(directory, 'cdk.out');
  // The template checks run in CI. Here they would double the waiting time.
  process.env.CDK_VALIDATION = 'false';
  // esbuild runs in its own process, so the CDK is loaded at the same time.
  const [, { rewardsPlatform }, { Code }] = await Promise.all([
    bundle(listFunctionFolders(), built, { hasMaps: false }),
    import('../../infra/platform-app.ts'),
    import('aws-cdk-lib/aws-lambda'),
  ]);
  const context = { stage: 'local', 'aws:cdk:disable-stack-trace': true };
  rewardsPlatform({ context, outdir, code: (folder) => Code.fromAsset(join(built, folder)) }).synth();
  return outdir;
}
