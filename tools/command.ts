import { type ParseArgsConfig, parseArgs } from 'node:util';

/** What the commands of `npm run` share: their options, their exit status, and one sentence for each failure. */

/** The command cannot do its work. The message is one sentence: what is wrong and what to do. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
}

/** The command was called in a wrong way. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';
}

/**
 * Reads the options of this process.
 *
 * @throws UsageError for an option that does not exist, that lacks its value, or that takes none and has one
 */
export function readOptions<Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    // Removes Node's advice about how to escape an argument.
    throw new UsageError(`${messageOf(error).replace(/\. To specify .*$/s, '')}: see --help`);
  }
}

/**
 * Runs a command. Exit status: the number that it returns, or 0; 1 when it fails; 2 when it was called in a wrong way. A
 * failure prints its message, without a stack.
 */
export async function runCommand(main: () => Promise<number | undefined> | number | undefined): Promise<void> {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Whether an error says that a file or program does not exist. */
export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';
