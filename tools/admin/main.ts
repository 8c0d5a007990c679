import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import type { Terminal } from './cli/cli.ts';
import { runAdmin } from './run-admin.ts';

/** `npm run admin -- <command>` */
process.exitCode = await runAdmin(process.argv.slice(2), systemTerminal());

/** The terminal of this process. */
function systemTerminal(): Terminal {
  // A reader may close the pipe early (`| head`): this does not count as an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    ask: process.stdin.isTTY ? ask : undefined,
  };
}

/** Asks on stderr, because stdout may be a file. */
async function ask(question: string): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await Promise.race([reader.question(question), once(reader, 'close').then(() => '')]);
  } catch {
    // Ctrl-C and Ctrl-D leave the question without an answer. Some versions of Node then report an error; other
    // versions close the input.
    process.stderr.write('\n');
    return '';
  } finally {
    reader.close();
  }
}
