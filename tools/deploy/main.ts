import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { STSClient } from '@aws-sdk/client-sts';
import { regionsOf, type StageName, type StageSettings, stageNames, stageSettings } from '../../infra/stages.ts';
import { endpointFromEnvironment } from '../../shared/programs/aws-signature.ts';
import { findAccount } from '../aws-account.ts';
import { CommandError, readOptions, runCommand, UsageError } from '../command.ts';
import { AccountQuotas, QuotasUnreadableError } from './account-quotas.ts';
import { DeployedStacks } from './deployed-stacks.ts';
import { clearFailedStacks } from './failed-stacks.ts';
import { checkQuotas, quotaReport } from './quota-check.ts';
import { quotaNeedsOf, type Template } from './quota-needs.ts';
import { mailAdvice, passkeyWarning, readMailAccess } from './sign-in-checks.ts';

/** `npm run deploy -- --stage sandbox`: deploys a stage to the AWS account of the credentials in the environment. */

const usage = `npm run deploy -- --stage sandbox|production [options]

Builds the functions, synthesizes the stage into cdk.out/<stage>, compares the account's quotas with what the stage
needs, shows what would change, asks, and deploys.
A deployment that failed can be repeated with the same command.

  --stage NAME   the stage
  --yes          deploys without asking; needed where there is no terminal
  --bootstrap    prepares the account and region for CDK first; needed once
  --diff         only shows what would change
  --synth        only builds and synthesizes (npm run synth); needs no account, and takes no option but --stage
  --built        takes cdk.out/<stage> as it is, without building: to deploy what was built once
  --smoke        tests the deployed stage afterwards (npm run smoke)
  --adapt FILE   runs a script with the folder of the assembly before the deployment, as npm run try-deploy does
  --help         prints this help`;

const options = {
  stage: { type: 'string' },
  yes: { type: 'boolean', default: false },
  bootstrap: { type: 'boolean', default: false },
  diff: { type: 'boolean', default: false },
  synth: { type: 'boolean', default: false },
  built: { type: 'boolean', default: false },
  smoke: { type: 'boolean', default: false },
  adapt: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

function readStage(name: string | undefined): Exclude<StageName, 'local'> {
  const found = stageNames.find((known) => known === name);
  if (found !== undefined && found !== 'local') return found;
  const fault = name === undefined ? 'name a stage' : `the stage ${name} cannot be deployed`;
  throw new UsageError(`${fault}: give --stage sandbox or --stage production`);
}

/** The options that may be given together with `--synth`. */
const optionsOfSynth: readonly string[] = ['synth', 'stage', 'help'];

/** @throws UsageError when an option was given that `--synth` would ignore */
function checkSynth(values: Readonly<Record<string, string | boolean | undefined>>): void {
  const ignored = Object.entries(values)
    .filter(([name, value]) => value !== undefined && value !== false && !optionsOfSynth.includes(name))
    .map(([name]) => `--${name}`);
  if (ignored.length > 0) throw new UsageError(`--synth only builds and synthesizes: leave out ${ignored.join(', ')}`);
}

const cdk = fileURLToPath(new URL('../../node_modules/.bin/cdk', import.meta.url));

/** @throws CommandError when the program fails; the program has printed the reason */
async function run(program: string, ...args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { stdio: 'inherit' });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (code !== 0) throw new CommandError(`${args[0]} failed (${signal ?? code})`);
}

/** Builds the functions and writes the assembly of a stage into a folder. Needs no account. */
async function synthesize(stage: StageName, assembly: string): Promise<void> {
  await run(process.execPath, 'tools/build/build.ts');
  await run(cdk, 'synth', '--quiet', '-c', `stage=${stage}`, '-o', assembly);
  console.log(`The templates of ${stage} are in ${assembly}.`);
}

async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new CommandError('there is no terminal to ask at; give --yes');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`${question} [y/N] `);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

interface Manifest {
  readonly artifacts: Readonly<Record<string, { readonly type: string; readonly properties?: Properties }>>;
}
interface Properties {
  readonly templateFile?: string;
}

/** The templates of an assembly's stacks. The keys are the names of the stacks. */
async function templatesIn(assembly: string): Promise<Map<string, Template>> {
  const { artifacts }: Manifest = JSON.parse(await readFile(`${assembly}/manifest.json`, 'utf8'));
  const templates = new Map<string, Template>();
  for (const [stack, { type, properties: { templateFile } = {} }] of Object.entries(artifacts)) {
    if (type !== 'aws:cloudformation:stack' || templateFile === undefined) continue;
    templates.set(stack, JSON.parse(await readFile(`${assembly}/${templateFile}`, 'utf8')));
  }
  return templates;
}

/**
 * Prints which quotas of the account are too low for a stage. If Service Quotas does not answer, the deployment goes
 * on.
 *
 * @throws CommandError when the deployment would fail
 */
async function compareQuotas(stage: StageSettings, templates: readonly Template[]): Promise<void> {
  const needs = quotaNeedsOf(stage, templates);
  const services = new Set(needs.flatMap(({ quota: { service } }) => service ?? []));
  try {
    const { config } = new STSClient({ region: stage.region });
    const account = await new AccountQuotas(config, endpointFromEnvironment('SERVICE_QUOTAS')).of([...services]);
    const checks = checkQuotas(needs, account);
    console.log(`The quotas of the account, for ${stage.purchasesPerSecond} purchases a second\n`);
    console.log(`${quotaReport(checks, stage.region)}\n`);
    if (checks.some(({ verdict }) => verdict === 'stop')) {
      throw new CommandError('the account is too small for the stage: raise the quotas first');
    }
  } catch (error) {
    if (!(error instanceof QuotasUnreadableError)) throw error;
    console.log(`${error.message}\nThe deployment goes on without the comparison.\n`);
  }
}

/** Prints what to know about the sign-in to the dashboard before the deployment. */
async function tellAboutSignIn(
  stage: StageSettings,
  templates: ReadonlyMap<string, Template>,
  stacks: DeployedStacks,
): Promise<void> {
  const stack = `rewards-${stage.name}-identity`;
  const [planned, deployed] = [templates.get(stack), await stacks.templateOf(stack)];
  const { config } = new STSClient({ region: stage.region });
  const access = stage.domain === undefined || (await readMailAccess(config, endpointFromEnvironment('SESV2')));
  for (const text of [mailAdvice(stage, access), planned && passkeyWarning(deployed, planned)]) {
    if (text !== undefined) console.log(text);
  }
}

async function deploy(): Promise<undefined> {
  const { values } = readOptions({ options });
  if (values.help) {
    console.log(usage);
    return;
  }
  const stage = readStage(values.stage);
  const { region } = stageSettings(stage);
  const assembly = `cdk.out/${stage}`;
  if (values.synth) {
    checkSynth(values);
    await synthesize(stage, assembly);
    return;
  }

  const account = await findAccount(region);
  if (!values.built) await synthesize(stage, assembly);
  if (values.adapt !== undefined) await run(process.execPath, values.adapt, assembly);
  const environments = regionsOf(stageSettings(stage)).map((one) => `aws://${account}/${one}`);
  if (values.bootstrap) await run(cdk, 'bootstrap', ...environments, '--app', assembly);
  const stacks = new DeployedStacks(new CloudFormationClient({ region }), new DynamoDBClient({ region }));
  if ((await stacks.find('CDKToolkit')) === undefined) {
    throw new CommandError(`account ${account} is not prepared for CDK in ${region}; give --bootstrap, once`);
  }
  const templates = await templatesIn(assembly);
  await compareQuotas(stageSettings(stage), [...templates.values()]);
  await tellAboutSignIn(stageSettings(stage), templates, stacks);
  await run(cdk, 'diff', '--app', assembly);
  if (values.diff) return;
  if (!values.yes && !(await confirm(`Deploy ${stage} to account ${account} in ${region}?`))) return;

  for (const cleared of await clearFailedStacks([...templates.keys()], stacks)) {
    console.log(`${cleared}: its first deployment had failed; it is made again`);
  }
  const outputs = `cdk.out/${stage}-outputs.json`;
  await run(cdk, 'deploy', '--all', '--app', assembly, '--require-approval', 'never', '--outputs-file', outputs);
  console.log(`\nThe stage ${stage} is deployed. The addresses of its hosts are in ${outputs}.`);
  if (values.smoke) await run(process.execPath, 'tools/smoke/main.ts', '--stage', stage);
}

await runCommand(deploy);
