import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { build } from 'esbuild';
import type { Reply } from '../../shared/http/reply.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** One request for a process that may be killed. */
export interface MortalRequest {
  readonly handler: 'authenticateTransaction' | 'createTransaction';
  readonly event: APIGatewayProxyEvent;
}

/** A process that answers one request, unless it is killed. */
export class Mortal {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'exit');
  }

  /** Returns the reply, or undefined when the process died. */
  async answer(request: MortalRequest): Promise<Reply | undefined> {
    const reply = once(this.#child, 'message').then(([message]) => message as Reply);
    this.#child.send(request);
    return Promise.race([reply, this.#ended.then(() => undefined)]);
  }

  /** Kills the process by SIGKILL and waits for its end. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}

/** Processes with the real handlers. While one process handles its request, the next one already starts. */
export class Mortals {
  readonly #folder: string;
  readonly #environment: NodeJS.ProcessEnv;
  #spare: Promise<Mortal>;

  private constructor(folder: string, environment: NodeJS.ProcessEnv) {
    this.#folder = folder;
    this.#environment = environment;
    this.#spare = this.#start();
  }

  /** @param environment the handlers' environment */
  static async prepare(environment: NodeJS.ProcessEnv): Promise<Mortals> {
    const folder = temporaryFolder('mortals');
    await build({
      entryPoints: [resolve('test/support/mortal-worker.ts')],
      outfile: join(folder, 'worker.cjs'),
      bundle: true,
      minify: true,
      platform: 'node',
      format: 'cjs',
      mainFields: ['module', 'main'],
      alias: { '@aws-sdk/credential-provider-node': resolve('tools/build/lambda-credentials.ts') },
      logLevel: 'warning',
    });
    return new Mortals(folder, environment);
  }

  async next(): Promise<Mortal> {
    const next = await this.#spare;
    this.#spare = this.#start();
    return next;
  }

  async stop(): Promise<void> {
    await (await this.#spare).kill();
  }

  async #start(): Promise<Mortal> {
    const child = fork(join(this.#folder, 'worker.cjs'), { env: this.#environment, execArgv: [], stdio: 'ignore' });
    const mortal = new Mortal(child);
    await once(child, 'message');
    return mortal;
  }
}
