import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** The processor time and memory that a process has used. */
export interface Spent {
  /** User and system time since the start. */
  readonly cpuSeconds: number;
  /** Resident memory now. */
  readonly memoryMb: number;
  /** The highest resident memory since the start. */
  readonly peakMb: number;
}

/** Asks the other process to call one of its functions. */
interface CallMessage {
  readonly id: number;
  readonly name: string;
  readonly input: readonly unknown[];
}

/** The result of a call. `failed` is the text of an error. */
interface ReplyMessage {
  readonly id: number;
  readonly output?: unknown;
  readonly failed?: string;
}

type Functions = object;
type Call = (...input: never[]) => unknown;

/** The arguments and the result of one function of a process. */
type InputOf<Api, Name extends keyof Api> = Api[Name] extends Call ? Parameters<Api[Name]> : never;
type OutputOf<Api, Name extends keyof Api> = Api[Name] extends Call ? Awaited<ReturnType<Api[Name]>> : never;

interface Waiting {
  readonly resolve: (output: never) => void;
  readonly reject: (error: Error) => void;
}

/** A process of the bench, whose script calls `serve()` with functions of the type `Api`. */
export class Child<Api extends Functions> {
  readonly #script: URL;
  readonly #waiting = new Map<number, Waiting>();
  readonly #process: ChildProcess;
  #nextId = 0;

  constructor(script: URL) {
    this.#script = script;
    // `advanced` sends typed arrays of numbers as they are, not as text.
    this.#process = fork(script, { env: process.env, serialization: 'advanced' });
    this.#process.on('message', ({ id, output, failed }: ReplyMessage) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (failed === undefined) waiting?.resolve(output as never);
      else waiting?.reject(new Error(failed));
    });
    this.#process.once('exit', () => this.#failAll());
  }

  #failAll(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(`${this.#script.pathname} has ended`));
    this.#waiting.clear();
  }

  /** @throws Error when the function failed, or when the process has ended */
  call<Name extends keyof Api & string>(name: Name, ...input: InputOf<Api, Name>): Promise<OutputOf<Api, Name>> {
    return this.#call(name, input);
  }

  #call<Output>(name: string, input: readonly unknown[]): Promise<Output> {
    this.#nextId += 1;
    const message: CallMessage = { id: this.#nextId, name, input };
    return new Promise((resolve, reject) => {
      this.#waiting.set(message.id, { resolve, reject });
      this.#process.send(message, (error) => error && reject(error));
    });
  }

  stats(): Promise<Spent> {
    return this.#call<Spent>('stats', []);
  }

  async stop(): Promise<void> {
    await end(this.#process);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/**
 * Serves the calls of the process that forked this one. Each call has the name of a function of `api` and its
 * arguments. The call `stats` is always served. The process ends with its parent.
 */
export function serve(api: Readonly<Record<string, (...input: never[]) => unknown>>): void {
  process.on('disconnect', () => process.exit());
  process.on('message', ({ id, name, input }: CallMessage) => {
    const reply = (message: Omit<ReplyMessage, 'id'>) => process.send?.({ id, ...message });
    answer(api, name, input).then(
      (output) => reply({ output }),
      (error: Error) => reply({ failed: error.stack ?? error.message }),
    );
  });
}

async function answer(api: Parameters<typeof serve>[0], name: string, input: readonly unknown[]): Promise<unknown> {
  if (name === 'stats') return ownStats();
  const served = api[name];
  if (!served) throw new Error(`this process does not serve ${name}`);
  return await served(...(input as never[]));
}

/** The processor time and memory that this process has used since its start. */
function ownStats(): Spent {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  return {
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
    memoryMb: process.memoryUsage.rss() / 2 ** 20,
    peakMb: maxRSS / 1024,
  };
}
