import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runAdmin } from '../../../tools/admin/program.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { TestTable } from '../../support/test-table.ts';

/** How a command ended and what it printed. */
export interface Ran {
  readonly status: number;
  readonly out: string;
  readonly err: string;
  /** What it asked, when somebody was there to answer. */
  readonly asked: readonly string[];
  /** What it printed, as the one JSON document that it has to be. */
  // biome-ignore lint/suspicious/noExplicitAny: documents of all shapes
  readonly json: any;
}

/** Answers a question; what it does before is what others do meanwhile. */
export type Answer = (question: string) => string | Promise<string>;

/** Leaves what `npm start` leaves behind, for a table that a test made, and gives the folder. */
export function stateOf(table: Pick<TestTable, 'name' | 'endpoint'>): string {
  const directory = temporaryFolder('admin');
  const aws = { region: 'us-east-1', dynamodb: table.endpoint, table: table.name };
  writeFileSync(join(directory, 'platform.json'), JSON.stringify({ hosts: {}, aws, demo: {} }));
  return directory;
}

/** Writes a file, which is there as long as the test file runs, and gives its path. */
export function temporaryFile(name: string, content: unknown): string {
  const path = join(temporaryFolder('admin'), name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

/** Runs a command in this process, with nobody at the terminal unless an answer is given. */
export async function run(args: readonly string[], answer?: Answer): Promise<Ran> {
  let out = '';
  let err = '';
  const asked: string[] = [];
  const ask = async (question: string) => {
    asked.push(question);
    return answer?.(question) ?? '';
  };
  const status = await runAdmin(args, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    ask: answer && ask,
  });
  return { status, out, err, asked, json: args.includes('--json') ? jsonOf(out) : undefined };
}

function jsonOf(out: string): unknown {
  return out === '' ? undefined : JSON.parse(out);
}

/** Commands on one table. */
export function commandLineOf(table: Pick<TestTable, 'name' | 'endpoint'>) {
  const place = ['--state-dir', stateOf(table)];
  return {
    /** What somebody reads. */
    read: (...args: string[]) => run([...args, ...place]),
    /** What a script gets, which may do everything. */
    script: (...args: string[]) => run([...args, '--json', '--yes', ...place]),
    /** With somebody at the terminal. */
    person: (answer: Answer, ...args: string[]) => run([...args, ...place], answer),
  };
}
