import { mkdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { rewardsPlatform } from '../../infra/platform-app.ts';
import { readOptions, runCommand } from '../command.ts';
import { installPackage, NotInstallableError } from '../try-deploy/python-package.ts';
import { type ProgramOptions, runProgram } from '../try-deploy/run-program.ts';
import { type Finding, findProblems, type Reason, readCheckov, readLint } from './findings.ts';

/** `npm run check:templates`: checks the synthesized templates with cfn-lint and checkov. */

const cfnLint = { name: 'cfn-lint', version: '1.58.0' };
const checkov = { name: 'checkov', version: '3.3.30' };

const usage = `npm run check:templates [-- --if-installable]

Checks the templates of the stages sandbox and production with cfn-lint ${cfnLint.version} and checkov ${checkov.version}.
A finding needs a reason in tools/check-templates/reasons.json. Needs Python 3.10 or newer.

  --if-installable   ends well, with one line, when a checker cannot be installed, for example without the internet
  --help             prints this help`;

const options = {
  'if-installable': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

const stages = ['sandbox', 'production'] as const;
const folder = resolve('.local/check-templates');
const python = resolve('.local/python');
/** cfn-lint exits with a sum: 2 for errors, plus 4 for warnings, plus 8 for information. */
const lintStatuses = [0, 2, 4, 6, 8, 10, 12, 14];

/**
 * checkov reports only failed checks, and does not quote the templates. The report goes to a file, because checkov
 * writes other text to its standard output.
 */
const checkovReport = ['--quiet', '--compact', '--output', 'json', '--output-file-path', folder];

/** Writes the templates without the functions' code and without the dashboard, which no checker reads. */
async function synthesize(stage: string): Promise<void> {
  process.env.CDK_VALIDATION = 'false';
  const context = { stage, 'aws:cdk:disable-stack-trace': true };
  const code = (name: string) => Code.fromInline(`// ${name}`);
  const dashboard = join(folder, 'dashboard');
  await mkdir(dashboard, { recursive: true });
  rewardsPlatform({ context, outdir: join(folder, stage), code, dashboard }).synth();
}

async function findAll(signal: AbortSignal): Promise<Finding[]> {
  // Installs one checker after the other: if cfn-lint cannot be installed, checkov is not tried.
  const lint = await installPackage(cfnLint, { folder: python, signal });
  const check = await installPackage(checkov, { folder: python, signal });
  for (const stage of stages) await synthesize(stage);
  const run = (command: readonly [string, ...string[]], settings: Partial<ProgramOptions> = {}) => {
    const log = join(folder, `${command[0].split('/').at(-1)}.log`);
    return runProgram(command, { env: process.env, log, signal, ...settings });
  };
  const templates = stages.map((stage) => join(folder, stage, '*.template.json'));
  const directories = stages.flatMap((stage) => ['--directory', join(folder, stage)]);
  const [linted] = await Promise.all([
    run([lint, '--format', 'json', ...templates], { accepted: lintStatuses }),
    run([check, '--framework', 'cloudformation', ...directories, ...checkovReport], { accepted: [0, 1] }),
  ]);
  const checked = JSON.parse(await readFile(join(folder, 'results_json.json'), 'utf8'));
  return [...readLint(JSON.parse(linted)), ...[checked].flat().flatMap(readCheckov)];
}

async function main(): Promise<number> {
  const { values } = readOptions({ options });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const abort = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => abort.abort());
  try {
    const findings = await findAll(abort.signal);
    const reasons: Reason[] = JSON.parse(await readFile(new URL('reasons.json', import.meta.url), 'utf8'));
    const problems = findProblems(findings, reasons);
    for (const problem of problems) console.error(problem);
    console.log(`${findings.length} findings, ${reasons.length} reasons, ${problems.length} problems`);
    return problems.length > 0 ? 1 : 0;
  } catch (error) {
    if (!(error instanceof NotInstallableError && values['if-installable'])) throw error;
    console.log(`the check of the templates is left out: ${error.message}`);
    return 0;
  }
}

await runCommand(main);
