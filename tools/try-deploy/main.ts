import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CommandError, isMissing, readOptions, runCommand } from '../command.ts';
import { Stoppers } from '../local/stoppers.ts';
import { missingTypes } from './adapt-template.ts';
import { Emulator, ministack } from './emulator.ts';
import { runFlowSuite } from './flow-suite.ts';
import { HostProxies } from './host-proxies.ts';
import { installPackage, NotInstallableError } from './python-package.ts';
import { runProgram } from './run-program.ts';
import { Traffic, type TrafficReport, type World } from './traffic.ts';
import { changeSources, copySources, expectVersion, type Version } from './versions.ts';

/** `npm run try-deploy`: deploys the sandbox to an emulator of AWS, twice, and runs the flow tests there. */

const usage = `npm run try-deploy [-- options]

Deploys the stage sandbox to ministack ${ministack.version}, an emulator of AWS, with the same command as on AWS and with IAM enforced.
Deploys a changed version while members buy, and checks that nothing is lost. Then runs the flow tests over the hosts.
It leaves out what the emulator lacks, and names it. Needs Python 3.10 or newer and openssl. The logs are in .local/try-deploy.

  --if-installable   ends well, with one line, when the emulator cannot be installed, for example without the internet
  --no-flow          leaves out the flow tests
  --keep             keeps the stage running until Ctrl-C, and prints the environment for the AWS CLI and npm run admin
  --help             prints this help

Example: npm run try-deploy -- --no-flow`;

const options = {
  'if-installable': { type: 'boolean', default: false },
  'no-flow': { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

const stage = 'sandbox';
const hostNames = ['base', 'reward', 'campaign', 'user', 'order', 'notification'];
const folder = resolve('.local/try-deploy');
/** The trial waits for this many purchases before the second deployment, and again after it. */
const calmPurchases = 10;

/** The outputs of each stack, by the stack's name. */
type Outputs = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** One run of the command. */
class Trial {
  readonly problems: string[] = [];
  readonly #stoppers: Stoppers;
  readonly #signal: AbortSignal;

  constructor(stoppers: Stoppers, signal: AbortSignal) {
    this.#stoppers = stoppers;
    this.#signal = signal;
  }

  async run({ hasFlow, isKept }: { readonly hasFlow: boolean; readonly isKept: boolean }): Promise<void> {
    const signal = this.#signal;
    await mkdir(folder, { recursive: true });
    await expectOpenssl(signal);
    const program = await installPackage(ministack, { folder: resolve('.local/python'), signal });
    console.log(`Left out, because the emulator lacks them: ${[...missingTypes].join(', ')}.`);
    const emulator = await Emulator.start(program, { folder, signal });
    this.#stoppers.add(() => emulator.stop());
    const proxies = await HostProxies.open(hostNames);
    this.#stoppers.add(() => proxies.close());

    const sources = await copySources(join(folder, 'sources'));
    const deploy = (version: Version) => this.#deploy(version, { sources, emulator, proxies });
    const outputs = await this.#step('first deployment', () => deploy('first'));
    const data = outputs[`rewards-${stage}-data`];
    if (data === undefined) throw new Error('the deployment has no data stack');
    const operator = {
      STAGE: stage,
      TABLE_NAME: data.TableName,
      BUS_NAME: data.BusName,
      WEBHOOK_HTTP_HOSTS: '127.0.0.1',
    };
    const env = { ...emulator.env, ...operator };
    await this.#step('second deployment, with purchases', () =>
      this.#redeploy(() => deploy('changed'), { sources, proxies, env }),
    );
    await this.#step('books', () => this.#reconcile(env));
    if (hasFlow) await this.#step('flow tests', () => this.#testFlow(emulator, proxies, data));
    if (isKept) await this.#keep(env, proxies);
  }

  /** Prints how to use the stage, and waits for Ctrl-C. */
  async #keep(env: NodeJS.ProcessEnv, { urls }: HostProxies): Promise<void> {
    const names = Object.keys(env).filter((name) => name.startsWith('AWS_') || name === 'NODE_EXTRA_CA_CERTS');
    console.log(`\n${names.map((name) => `export ${name}=${env[name]}`).join('\n')}\n`);
    for (const [host, url] of Object.entries(urls)) console.log(`${host} ${url}`);
    console.log('\nThe stage runs until Ctrl-C.');
    // A timer keeps the process alive while it waits.
    while (!this.#signal.aborted) await new Promise((resolve) => setTimeout(resolve, 500));
  }

  /** Runs `npm run deploy` in a copy of the sources. */
  async #deploy(
    version: Version,
    {
      sources,
      emulator,
      proxies,
    }: { readonly sources: string; readonly emulator: Emulator; readonly proxies: HostProxies },
  ) {
    const { urls } = proxies;
    const adapt = ['--adapt', resolve('tools/try-deploy/adapt.ts')];
    const args = ['--stage', stage, '--yes', ...(version === 'first' ? ['--bootstrap'] : []), ...adapt];
    await runProgram([process.execPath, 'tools/deploy/main.ts', ...args], {
      cwd: sources,
      env: { ...emulator.env, HOST_URLS: JSON.stringify(urls) },
      log: join(folder, `deploy-${version}.log`),
      signal: this.#signal,
    });
    const outputs: Outputs = JSON.parse(await readFile(join(sources, `cdk.out/${stage}-outputs.json`), 'utf8'));
    const apiIds = hostNames.map((host) => {
      const id = /^https:\/\/(?<id>[^.]+)/.exec(outputs[`rewards-${stage}-${host}`]?.Url ?? '')?.groups?.id;
      if (id === undefined) throw new Error(`the host ${host} has no address`);
      return [host, id];
    });
    const certificate = await emulator.readCertificate();
    proxies.connect({ port: emulator.port, certificate, stage, apiIds: Object.fromEntries(apiIds) });
    await expectVersion(version, urls);
    return Object.assign(outputs, { toString: () => `${Object.keys(outputs).length} stacks with outputs` });
  }

  async #redeploy(
    deploy: () => Promise<unknown>,
    {
      sources,
      proxies,
      env,
    }: { readonly sources: string; readonly proxies: HostProxies; readonly env: NodeJS.ProcessEnv },
  ): Promise<string> {
    const log = join(folder, 'seed.log');
    const seeded = await runProgram([process.execPath, 'tools/admin/seed.ts'], { env, log, signal: this.#signal });
    const world: World = JSON.parse(seeded.trim().split('\n').at(-1) ?? '');
    const traffic = new Traffic(proxies.urls, world);
    await traffic.start();
    const report = await (async (): Promise<TrafficReport> => {
      try {
        await this.#waitForPurchases(traffic, calmPurchases);
        await changeSources(sources);
        await deploy();
        await this.#waitForPurchases(traffic, traffic.accepted + calmPurchases);
        return await traffic.stop(this.#signal);
      } finally {
        await traffic.end();
      }
    })();
    this.problems.push(...report.lost);
    return `${report.purchases} purchases, ${report.repeated} with repeated requests, ${report.lost.length} lost`;
  }

  async #waitForPurchases(traffic: Traffic, wanted: number): Promise<void> {
    const limit = AbortSignal.any([this.#signal, AbortSignal.timeout(60_000)]);
    while (traffic.accepted < wanted) {
      if (limit.aborted) throw new Error(`only ${traffic.accepted} purchases were accepted within a minute`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async #reconcile(env: NodeJS.ProcessEnv): Promise<string> {
    const log = join(folder, 'reconcile.log');
    const command = ['tools/admin/main.ts', 'reconcile', '--stage', stage] as const;
    await runProgram([process.execPath, ...command], { env, log, signal: this.#signal });
    return 'consistent';
  }

  async #testFlow(emulator: Emulator, { urls }: HostProxies, data: Readonly<Record<string, string>>): Promise<string> {
    const { AWS_ENDPOINT_URL: url } = emulator.env;
    const services = { dynamodb: url, sqs: url, events: url, scheduler: url, secrets: url };
    const aws = { region: emulator.env.AWS_REGION, ...services, table: data.TableName, bus: data.BusName };
    const hosts = { hosts: urls, aws, operator: { STAGE: stage } };
    const judgement = await runFlowSuite({ hosts, env: emulator.env, folder, signal: this.#signal });
    this.problems.push(...judgement.problems);
    const { passed, known, skipped, problems } = judgement;
    return `${passed} passed, ${problems.length} failed, ${known} known failures, ${skipped} skipped`;
  }

  async #step<Result>(step: string, work: () => Promise<Result>): Promise<Result> {
    console.log(`${step} …`);
    const started = performance.now();
    const result = await work();
    const minutes = ((performance.now() - started) / 60_000).toFixed(1);
    console.log(`  ${result} (${minutes} minutes)`);
    return result;
  }
}

/** The emulator makes its certificate with openssl. @throws CommandError when it is not installed */
async function expectOpenssl(signal: AbortSignal): Promise<void> {
  try {
    await runProgram(['openssl', 'version'], { env: process.env, log: join(folder, 'openssl.log'), signal });
  } catch (error) {
    throw isMissing(error) ? new CommandError('there is no openssl: install it, then try again') : error;
  }
}

async function main(): Promise<number> {
  const { values } = readOptions({ options });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const abort = new AbortController();
  // Ctrl-C reaches this process twice: from the terminal, and from npm.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => abort.abort());
  const stoppers = new Stoppers();
  const trial = new Trial(stoppers, abort.signal);
  try {
    await trial.run({ hasFlow: !values['no-flow'], isKept: values.keep });
  } catch (error) {
    if (error instanceof NotInstallableError && values['if-installable']) {
      console.log(`try-deploy is left out: ${error.message}`);
      return 0;
    }
    trial.problems.push(error instanceof Error ? error.message : String(error));
  } finally {
    await stoppers.stop();
  }
  for (const problem of trial.problems) console.error(`- ${problem}`);
  return trial.problems.length > 0 ? 1 : 0;
}

await runCommand(main);
