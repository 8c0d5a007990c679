import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runAdmin } from '../../../tools/admin/run-admin.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { TestTable } from '../../support/test-table.ts';

/** The exit status and the output of a command. */
export interface Ran {
  readonly status: number;
  readonly out: string;
  readonly err: string;
  /** The questions that the command asked. Empty when the command ran without a terminal. */
  readonly asked: readonly string[];
  /** The JSON document that the command printed. */
  // biome-ignore lint/suspicious/noExplicitAny: documents of all shapes
  readonly json: any;
}

/** Answers a question of a command. It may change the platform first, as another operator would at this moment. */
export type Answer = (question: string) => string | Promise<string>;

/** The table of a test, and perhaps the endpoints of its queues and secrets. */
type Place = Pick<TestTable, 'name' | 'endpoint'> & { readonly sqs?: string; readonly secrets?: string };

/** Writes a state folder like that of `npm start`, for the table of a test. Returns the path of the folder. */
export function stateOf({ name: table, endpoint: dynamodb, sqs, secrets }: Place): string {
  const directory = temporaryFolder('admin');
  const aws = { region: 'us-east-1', dynamodb, table, sqs, secrets };
  writeFileSync(join(directory, 'platform.json'), JSON.stringify({ hosts: {}, aws, demo: {} }));
  return directory;
}

/** Writes a file that exists as long as the test file runs, and returns its path. */
export function temporaryFile(name: string, content: unknown): string {
  const path = join(temporaryFolder('admin'), name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

/** Runs a command in this process, without a terminal unless an answer is given. */
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

/** Splits a command as a shell does: into words, and texts in double quotes. */
export const wordsOf = (command: string) =>
  [...command.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);

/** Commands on one table, each as an operator types it. Arguments after the first one are words as they are. */
export function commandLineOf(of: Place) {
  const place = ['--state-dir', stateOf(of)];
  const words = ([command = '', ...more]: readonly string[]) => [...wordsOf(command), ...more, ...place];
  return {
    /** Runs a command that prints text and has no terminal. */
    read: (...args: string[]) => run(words(args)),
    /** Runs a command that prints JSON and asks no question. */
    script: (...args: string[]) => run([...words(args), '--json', '--yes']),
    /** Runs a command at a terminal. `answer` answers its questions. */
    person: (answer: Answer, ...args: string[]) => run(words(args), answer),
  };
}
