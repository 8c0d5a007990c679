import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../local/ports.ts';
import { endGroup } from './run-program.ts';

/** The release in which the known failures were seen. */
export const ministack = { name: 'ministack', version: '1.5.33' };

const account = '111122223333';
const region = 'us-east-1';

/**
 * The emulator treats these credentials as the account's root user. `operatorEnvironment` of the local platform uses
 * the same ones.
 */
const credentials = { AWS_ACCESS_KEY_ID: 'operator', AWS_SECRET_ACCESS_KEY: 'local' };

interface Place {
  /** The folder of the log. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** The AWS variables of this process are left out: nothing may reach a real account. */
function withoutAws(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(AWS|CDK)_/.test(name)));
}

const startLimitMs = 60_000;
const stopLimitMs = 10_000;

/** A running ministack that enforces IAM. It serves TLS, because the stage's policies refuse unencrypted requests. */
export class Emulator {
  readonly port: number;
  /** The environment of programs that use the emulator in place of AWS. */
  readonly env: NodeJS.ProcessEnv;
  readonly #process: ChildProcess;
  readonly #certificateFile: string;
  readonly #temporary: string;

  private constructor(
    process: ChildProcess,
    at: Pick<Emulator, 'port' | 'env'> & { readonly certificateFile: string; readonly temporary: string },
  ) {
    this.#process = process;
    this.#certificateFile = at.certificateFile;
    this.#temporary = at.temporary;
    this.port = at.port;
    this.env = at.env;
  }

  static async start(program: string, { folder, signal }: Place): Promise<Emulator> {
    // Not inside this repository: there, package.json would turn the functions' code into ES modules.
    const temporary = await mkdtemp(join(tmpdir(), 'try-deploy-'));
    const port = await findFreePort();
    const certificateFile = join(temporary, 'ministack-tls', 'server.crt');
    const url = `https://127.0.0.1:${port}`;
    const trust = { NODE_EXTRA_CA_CERTS: certificateFile, AWS_CA_BUNDLE: certificateFile };
    const common = { ...withoutAws(process.env), ...credentials, ...trust, AWS_REGION: region };
    const log = openSync(join(folder, 'ministack.log'), 'w');
    const child = spawn(program, [], {
      stdio: ['ignore', log, log],
      // The workers of the functions are in the emulator's process group, so all end together.
      detached: true,
      env: {
        ...common,
        PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
        TMPDIR: temporary,
        STATE_DIR: temporary,
        BIND_HOST: '127.0.0.1',
        GATEWAY_PORT: String(port),
        USE_SSL: '1',
        AUTH: 'true',
        MINISTACK_HOST: '127.0.0.1',
        MINISTACK_ACCOUNT_ID: account,
        LAMBDA_EXECUTOR: 'local',
      },
    });
    const env = { ...common, AWS_ENDPOINT_URL: url, AWS_ENDPOINT_URL_S3: url, CDK_DISABLE_CLI_TELEMETRY: 'true' };
    const emulator = new Emulator(child, { port, certificateFile, env, temporary });
    try {
      await emulator.#waitUntilReady(join(folder, 'ministack.log'), signal);
    } catch (error) {
      await emulator.stop();
      throw error;
    }
    return emulator;
  }

  /** The certificate of the emulator, which it makes itself. */
  readCertificate(): Promise<string> {
    return readFile(this.#certificateFile, 'utf8');
  }

  /** Ends the emulator and all workers of functions. */
  async stop(): Promise<void> {
    const { pid } = this.#process;
    if (pid === undefined) return;
    const ended = once(this.#process, 'exit');
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      endGroup(pid, 'SIGTERM');
      await Promise.race([ended, sleep(stopLimitMs, undefined, { ref: false })]);
    }
    endGroup(pid, 'SIGKILL');
    await rm(this.#temporary, { recursive: true, force: true, maxRetries: 5 });
  }

  async #waitUntilReady(log: string, signal: AbortSignal): Promise<void> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(startLimitMs)]);
    while (!(await readFile(log, 'utf8')).includes('Running on https')) {
      if (this.#process.exitCode !== null) throw new Error(`ministack ended at its start: see ${log}`);
      await sleep(100, undefined, { signal: limit });
    }
  }
}
