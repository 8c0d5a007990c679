import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';

/** Where a command speaks, and whom it may ask. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Asks the person in front; undefined when nobody is. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
}

/** The terminal of this process. */
export function systemTerminal(): Terminal {
  // A reader that has seen enough (`| head`) is no fault.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    ask: process.stdin.isTTY ? ask : undefined,
  };
}

/** On stderr, because stdout may be a file. */
async function ask(question: string): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await Promise.race([reader.question(question), once(reader, 'close').then(() => '')]);
  } catch {
    // Ctrl-C and Ctrl-D end the question unanswered; by an error or by closing, as the version of Node has it.
    process.stderr.write('\n');
    return '';
  } finally {
    reader.close();
  }
}
