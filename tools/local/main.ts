import { readOptions, type StartOptions, usage } from './start/options.ts';
import { PlatformRun } from './start/platform-run.ts';

/** `npm start`: runs the whole platform on this machine, from the synthesized template. */

/** After this time a stop counts as stuck, and the process exits. */
const stopLimitMs = 8_000;

function run(options: StartOptions): void {
  const current = new PlatformRun(options);
  let isEnding = false;

  const end = async (code: number, reason?: string): Promise<void> => {
    // A second Ctrl-C exits immediately. DynamoDB Local ends with this process in any case.
    if (isEnding) process.exit(130);
    isEnding = true;
    if (reason) console.error(reason);
    setTimeout(() => process.exit(1), stopLimitMs).unref();
    await current.stop().catch((error: Error) => console.error(error.message));
    if (code === 0) current.printEnd();
    process.exit(code);
  };

  process.on('SIGINT', () => void end(0));
  process.on('SIGTERM', () => void end(0));
  process.on('SIGHUP', () => void end(0));
  current
    .start((reason) => void (isEnding || end(1, reason)))
    .catch((error: Error) => void (isEnding || end(1, error.message)));
}

function main(): void {
  try {
    const options = readOptions(process.argv.slice(2));
    if (options === 'help') console.log(usage);
    else run(options);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exitCode = 1;
  }
}

main();
