import { readOptions, type StartOptions, usage } from './start/options.ts';
import { Run } from './start/run.ts';

/** `npm start`: the whole platform on this machine, from the synthesized template. */

/** Beyond this, something hangs: nobody waits longer for a Ctrl-C. */
const stopLimitMs = 8_000;

function run(options: StartOptions): void {
  const current = new Run(options);
  let ending = false;

  const end = async (code: number, reason?: string): Promise<void> => {
    // A second Ctrl-C ends it at once; DynamoDB Local ends with this process in any case.
    if (ending) process.exit(130);
    ending = true;
    if (reason) console.error(reason);
    setTimeout(() => process.exit(1), stopLimitMs).unref();
    await current.stop().catch((error: Error) => console.error(error.message));
    process.exit(code);
  };

  process.on('SIGINT', () => void end(0));
  process.on('SIGTERM', () => void end(0));
  process.on('SIGHUP', () => void end(0));
  current
    .start((reason) => void (ending || end(1, reason)))
    .catch((error: Error) => void (ending || end(1, error.message)));
}

function main(): void {
  try {
    const options = readOptions(process.argv.slice(2));
    if (options === 'help') console.log(usage);
    else run(options);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exitCode = 1;
  }
}

main();
