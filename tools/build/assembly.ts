import { join } from 'node:path';
import { bundle } from './bundle.ts';
import { functionFolders } from './handlers.ts';

/**
 * Builds every function and synthesizes the stage `local`, all within a folder of the caller's own: nobody who
 * builds or synthesizes meanwhile gets in the way. Gives back the folder of the cloud assembly.
 */
export async function assemble(directory: string): Promise<string> {
  const built = join(directory, 'dist');
  const outdir = join(directory, 'cdk.out');
  // The template checks belong to the build; here they would double the time that somebody waits.
  process.env.CDK_VALIDATION = 'false';
  // esbuild has a process of its own: the CDK is loaded while it works.
  const [, { rewardsPlatform }, { Code }] = await Promise.all([
    bundle(functionFolders(), built),
    import('../../infra/platform-app.ts'),
    import('aws-cdk-lib/aws-lambda'),
  ]);
  const context = { stage: 'local', 'aws:cdk:disable-stack-trace': true };
  rewardsPlatform({ context, outdir, code: (folder) => Code.fromAsset(join(built, folder)) }).synth();
  return outdir;
}
