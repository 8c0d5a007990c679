import { join, resolve } from 'node:path';
import { startDynamoDb } from '../dynamodb/dynamodb.ts';
import { startPlatform } from '../platform.ts';
import type { Platform } from '../platform-options.ts';
import { Stoppers } from '../stoppers.ts';
import { banner } from './banner.ts';
import { runScript } from './command.ts';
import type { StartOptions } from './options.ts';
import { choosePorts } from './port-plan.ts';
import { seed } from './seed.ts';
import { type PlatformFile, State } from './state.ts';

/** Has the functions built and the stage `local` synthesized, and gives back the folder of the assembly. */
async function synthesize(stateDirectory: string, signal: AbortSignal): Promise<string> {
  const printed = await runScript('tools/build/assemble.ts', { args: [stateDirectory], signal });
  return printed.trim().split('\n').at(-1) ?? '';
}

/** A start, and everything that it has begun so far. */
export class Run {
  readonly #options: StartOptions;
  readonly #state: State;
  readonly #stoppers = new Stoppers();
  readonly #ender = new AbortController();
  readonly #started = performance.now();

  constructor(options: StartOptions) {
    this.#options = options;
    this.#state = new State(resolve(options.stateDirectory));
  }

  /** Starts everything and says so. @param onLost called when DynamoDB ends by itself */
  async start(onLost: (reason: string) => void): Promise<void> {
    this.#state.take();
    this.#stoppers.add(() => this.#state.release());
    const platform = await this.#startPlatform(onLost);
    const { directory: stateDirectory } = this.#state;
    const { persist, seed: seeds } = this.#options;
    const demo = seeds ? await seed({ aws: platform.aws, stateDirectory, persist, signal: this.#ender.signal }) : {};
    const content = { hosts: platform.hosts, aws: platform.aws, demo };
    this.#state.publish(content);
    this.#tell(content, platform);
  }

  async #startPlatform(onLost: (reason: string) => void): Promise<Platform> {
    const { portBase, persist } = this.#options;
    const { directory: stateDirectory } = this.#state;
    const ports = await choosePorts(portBase);
    // Java takes its time: the functions are built meanwhile.
    const dataDirectory = persist ? join(stateDirectory, 'data', 'dynamodb') : undefined;
    const starting = startDynamoDb({ port: ports.dynamodb, dataDirectory });
    this.#stoppers.add(async () => (await starting.catch(() => undefined))?.stop());
    const [dynamodb, assembly] = await Promise.all([starting, synthesize(stateDirectory, this.#ender.signal)]);
    void dynamodb.ended.then(() => onLost('DynamoDB Local has ended'));

    const platform = await startPlatform({ assembly, stateDirectory, ports, persist, dynamodb });
    this.#stoppers.add(() => platform.stop());
    return platform;
  }

  #tell(content: PlatformFile, { logs }: Platform): void {
    const seconds = ((performance.now() - this.#started) / 1000).toFixed(1);
    const text = banner(content, { file: this.#state.file, logs, seconds });
    console.log(this.#options.json ? JSON.stringify(content) : text);
  }

  /** Ends everything that was begun, whether the start was complete or not. */
  async stop(): Promise<void> {
    this.#ender.abort();
    await this.#stoppers.stop();
  }
}
