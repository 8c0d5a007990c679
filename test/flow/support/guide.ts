import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A snippet of a guide with its documented output. */
export interface Snippet {
  readonly heading: string;
  readonly language: 'bash' | 'js' | 'ts';
  readonly code: string;
  readonly output: string | undefined;
}

/** Returns the snippets of a Markdown text in order. An `output` block belongs to the snippet before it. */
export function snippetsOf(markdown: string): Snippet[] {
  const snippets: Snippet[] = [];
  let heading = '';
  for (const [, title, language, code = ''] of markdown.matchAll(/^## (.+)$|^```(\w*)\n([\s\S]*?)^```$/gm)) {
    const previous = snippets.at(-1);
    if (title !== undefined) heading = title;
    else if (isLanguage(language)) snippets.push({ heading, language, code, output: undefined });
    else if (language === 'output' && previous) snippets.splice(-1, 1, { ...previous, output: code });
    else throw new Error(`a block of ${heading} is neither a snippet nor the output of one: ${code}`);
  }
  return snippets;
}

function isLanguage(text: string | undefined): text is Snippet['language'] {
  return text === 'bash' || text === 'js' || text === 'ts';
}

/** Turns documented output into a pattern: `…` matches anything, a blank matches a line break. */
export function shapeOf(output: string): RegExp {
  const parts = output.trim().split(/(…|\s+)/);
  const pattern = parts.map((part) => (part === '…' ? '[^]*?' : /^\s+$/.test(part) ? '\\s+' : escaped(part)));
  return new RegExp(`^${pattern.join('')}$`);
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** One bash process for all snippets, like a reader's terminal. */
export class Terminal {
  readonly #shell: ChildProcess;
  readonly #directory: string;
  #printed = '';
  #complained = '';
  #count = 0;

  constructor(directory: string, environment: NodeJS.ProcessEnv) {
    this.#directory = directory;
    this.#shell = spawn('bash', ['-euo', 'pipefail', '-s'], { cwd: directory, env: environment });
    this.#shell.stdout?.on('data', (data: Buffer) => (this.#printed += data));
    this.#shell.stderr?.on('data', (data: Buffer) => (this.#complained += data));
    // The shell may have ended before this write. The next read reports it.
    this.#shell.stdin?.on('error', () => {});
    // Also at the end of a snippet that waits for ever, or of the test's process.
    this.#shell.stdin?.write("trap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n");
  }

  /**
   * Runs a snippet and returns its output. Saves JavaScript and TypeScript under the file name in the first line.
   *
   * @throws Error when one of its commands fails
   */
  async run({ language, code }: Snippet): Promise<string> {
    if (language !== 'bash') {
      const name = /^\/\/ (\S+)$/m.exec(code)?.[1] ?? 'unnamed';
      writeFileSync(join(this.#directory, name), code);
      return '';
    }
    const file = `snippet-${++this.#count}.sh`;
    writeFileSync(join(this.#directory, file), code);
    const end = `<end of ${file}>`;
    this.#printed = '';
    this.#shell.stdin?.write(`source ./${file} < /dev/null; printf '%s' '${end}'\n`);
    while (!this.#printed.endsWith(end)) {
      if (this.#shell.exitCode !== null) throw new Error(`${code}\nfailed: ${this.#complained}${this.#printed}`);
      await this.#next();
    }
    return this.#printed.slice(0, -end.length);
  }

  /** Waits for more output or for the end of the shell. */
  async #next(): Promise<void> {
    const waiting = new AbortController();
    const { signal } = waiting;
    await Promise.race([
      once(this.#shell.stdout as NodeJS.EventEmitter, 'data', { signal }),
      once(this.#shell, 'exit', { signal }),
    ]);
    waiting.abort();
  }

  /** Returns the standard error so far. */
  get complaints(): string {
    return this.#complained;
  }

  async close(): Promise<void> {
    if (this.#shell.exitCode !== null) return;
    const exit = once(this.#shell, 'exit');
    this.#shell.kill();
    await exit;
  }
}
