import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A snippet of a document with its documented output. */
export interface Snippet {
  readonly heading: string;
  readonly language: 'bash' | 'js' | 'ts';
  readonly code: string;
  /** A pattern of the output; undefined when the snippet prints nothing. */
  readonly output: RegExp | undefined;
}

/**
 * Returns the snippets of a Markdown text in order. An `output` or `json` block belongs to the snippet before it.
 * Leaves out diagrams, and blocks of `sh` that only install, start or test the platform.
 *
 * @throws Error for any other block, so that no command of a document is left out by mistake
 */
export function snippetsOf(markdown: string): Snippet[] {
  const snippets: Snippet[] = [];
  let heading = '';
  for (const [, title, language = '', code = ''] of markdown.matchAll(/^##? (.+)$|^```(\w*)\n([\s\S]*?)^```$/gm)) {
    const previous = snippets.at(-1);
    const shape = shapes[language];
    if (title !== undefined) heading = title;
    else if (isLanguage(language)) snippets.push({ heading, language, code, output: undefined });
    else if (shape && previous) snippets.splice(-1, 1, { ...previous, output: shape(code) });
    else if (!isLeftOut(language, code)) {
      throw new Error(`a block of ${heading} is neither a snippet nor the output of one: ${code}`);
    }
  }
  return snippets;
}

function isLanguage(text: string | undefined): text is Snippet['language'] {
  return text === 'bash' || text === 'js' || text === 'ts';
}

/** Whether a block is a diagram, or installs, starts or tests the platform. */
function isLeftOut(language: string, code: string): boolean {
  const lines = code.trim().split('\n');
  const startsPlatform = lines.every((line) => /^(npm ci && )?npm (start|test)( +#.*)?$/.test(line));
  return language === 'mermaid' || (language === 'sh' && startsPlatform);
}

/** Turns documented output into a pattern: `…` matches anything, a blank matches a line break. */
function shapeOf(output: string): RegExp {
  const parts = output.trim().split(/(…|\s+)/);
  const pattern = parts.map((part) => (part === '…' ? '[^]*?' : /^\s+$/.test(part) ? '\\s+' : escaped(part)));
  return new RegExp(`^${pattern.join('')}$`);
}

/** Does the same as {@link shapeOf} for JSON, whose blanks may differ. */
function shapeOfJson(output: string): RegExp {
  const parts = output.trim().split(/(…|[{}[\],:]|\s+)/);
  const pattern = parts.map((part) =>
    part === '…'
      ? '[^]*?'
      : part.trim() === ''
        ? ''
        : /^[{}[\],:]$/.test(part)
          ? `\\s*${escaped(part)}\\s*`
          : escaped(part),
  );
  return new RegExp(`^${pattern.join('')}$`);
}

/** How to make the pattern of a block that shows output, by the language of the block. */
const shapes: Readonly<Record<string, (output: string) => RegExp>> = { output: shapeOf, json: shapeOfJson };

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** One bash process for all snippets, like a reader's terminal. */
export class Terminal {
  readonly #shell: ChildProcess;
  readonly #saved = temporaryFolder('snippets');
  #printed = '';
  #complained = '';
  #count = 0;

  constructor(directory: string, environment: NodeJS.ProcessEnv) {
    this.#shell = spawn('bash', ['-euo', 'pipefail', '-s'], { cwd: directory, env: environment });
    this.#shell.stdout?.on('data', (data: Buffer) => (this.#printed += data));
    this.#shell.stderr?.on('data', (data: Buffer) => (this.#complained += data));
    // The shell may have ended before this write. The next read reports it.
    this.#shell.stdin?.on('error', () => {});
    // When the shell ends, the processes that snippets started in the background end too.
    this.#shell.stdin?.write("trap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n");
  }

  /**
   * Runs a snippet and returns its output. Saves JavaScript and TypeScript under the file name in the first line.
   *
   * @throws Error when one of its commands fails
   */
  async run({ language, code }: Snippet): Promise<string> {
    const file = join(this.#saved, String(++this.#count));
    writeFileSync(file, code);
    const name = /^\/\/ (\S+)$/m.exec(code)?.[1] ?? 'unnamed';
    // Snippets may change the folder of the shell.
    const command = language === 'bash' ? `source '${file}' < /dev/null` : `cp '${file}' ${name}`;
    const end = `<end of ${file}>`;
    this.#printed = '';
    this.#shell.stdin?.write(`${command}; printf '%s' '${end}'\n`);
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
