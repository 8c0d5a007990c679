import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { readOptions, type StartOptions, usage } from './start/options.ts';
import { PlatformRun } from './start/platform-run.ts';
import { describeStartError } from './start/start-error.ts';

/** `npm start`: runs the whole platform on this machine, from the synthesized template. */

/** After this time a stop counts as stuck, and the process exits. */
const stopLimitMs = 8_000;

/** Two signals within this time count as one: Ctrl-C reaches this process from the terminal, and also from npm. */
const sameSignalMs = 500;

/** The platform ends at most this long after the npm process that started it was killed. */
const npmCheckMs = 1_000;

function run(options: StartOptions): void {
  const current = new PlatformRun(options);
  let endingSinceMs: number | undefined;

  const end = async (code: number, reason?: string): Promise<void> => {
    endingSinceMs = performance.now();
    if (reason) console.error(reason);
    setTimeout(() => process.exit(1), stopLimitMs).unref();
    await current.stop().catch((error: Error) => console.error(error.message));
    if (code === 0) current.printEnd();
    process.exit(code);
  };
  const endOnce = (code: number, reason?: string): void => {
    if (endingSinceMs === undefined) void end(code, reason);
  };

  const onSignal = (): void => {
    if (endingSinceMs === undefined) endOnce(0);
    else if (performance.now() - endingSinceMs > sameSignalMs) {
      // A second Ctrl-C exits immediately. All other processes end with this process in any case.
      current.abandon();
      process.exit(130);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  endWithNpm(() => endOnce(0));
  current
    .start((reason) => endOnce(1, reason))
    .catch((error: Error) => endOnce(1, describeStartError(error, resolve(options.stateDirectory))));
}

/** Ends the platform when the npm process that started it has ended. A killed npm cannot pass its signal on. */
function endWithNpm(end: () => void): void {
  if (process.env.npm_lifecycle_event !== 'start') return;
  const npm = process.ppid;
  setInterval(() => process.ppid !== npm && end(), npmCheckMs).unref();
}

/** Each worker has a heap of its own. With this flag, the heap takes a quarter less memory. */
const frugalFlag = '--optimize-for-size';

function main(): void {
  setFlagsFromString(frugalFlag);
  try {
    const options = readOptions(process.argv.slice(2), process.env);
    if (options === 'help') console.log(usage);
    else run(options);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exitCode = 1;
  }
}

main();
