import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type AwsJsonService, callAws } from '../../../tools/local/aws-json.ts';
import { close, listen, toUrl } from '../../../tools/local/ports.ts';
import { run } from '../../tools/admin/command-line.ts';

/**
 * Replacements for the programs `npm` and `aws`, which documents call. Each replacement is a script. It sends its
 * current folder and its arguments to this process, and runs the commands of the reply.
 * - With the replacement of `npm`, `npm run admin` runs in this process, so each command starts two programs fewer.
 * - The replacement of `aws` needs neither the internet nor Python.
 */

/** The result of a program. */
interface Ended {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** The folder and the operator that a program is called with. */
interface Caller {
  readonly folder: string;
  /** The value of `REWARDS_OPERATOR`. If it is empty, the user of the machine is the operator. */
  readonly operator: string;
}

/** A program: it receives its caller and its arguments. */
type Program = (caller: Caller, args: readonly string[]) => Promise<Ended>;

const script = (url: string, name: string) => `#!/usr/bin/env bash
eval "$(printf '%s\\0' "$PWD" "\${REWARDS_OPERATOR-}" "$@" | curl -sS --data-binary @- '${url}/${name}')"
`;

/** Writes the replacements into a folder that the caller adds to PATH. Starts the server that they call. */
export async function startStandIns(folder: string, state: string): Promise<{ readonly stop: () => Promise<void> }> {
  const programs: Readonly<Record<string, Program>> = { npm: npmOn(state), aws };
  const server = createServer(async (request, response) => {
    const [folder = '', operator = '', ...args] = (await text(request)).split('\0').slice(0, -1);
    const program = programs[request.url?.slice(1) ?? ''];
    const failed = (error: unknown): Ended => ({ status: 255, out: '', err: `${error}\n` });
    const ended = program
      ? await program({ folder, operator }, args).catch(failed)
      : failed(`there is no program ${request.url}`);
    response.end(asShell(ended));
  });
  const url = toUrl(await listen(server));
  mkdirSync(folder, { recursive: true });
  for (const name of Object.keys(programs)) {
    writeFileSync(join(folder, name), script(url, name));
    chmodSync(join(folder, name), 0o755);
  }
  return { stop: () => close(server) };
}

/** Shell commands that print the output of a program and end with its status. */
const asShell = ({ status, out, err }: Ended) =>
  `printf %s ${quoted(out)}; printf %s ${quoted(err)} >&2; exit ${status}`;

const quoted = (value: string) => `'${value.replaceAll("'", `'\\''`)}'`;

/** Runs `npm run admin -- <command>` or `npm run demo -- <options>` on the platform whose state folder is `state`. */
const npmOn =
  (state: string): Program =>
  async (caller, [command, ...args]) => {
    const [name = '', dashes, ...rest] = args.filter((arg) => arg !== '--silent');
    if (command !== 'run' || (dashes !== undefined && dashes !== '--'))
      throw new Error(`npm ${command} ${args.join(' ')}`);
    if (name === 'demo') return node(['tools/demo/main.ts', ...rest, '--state-dir', state]);
    if (name !== 'admin') throw new Error(`there is no stand-in for npm run ${name}`);
    return admin(caller, [...rest, '--state-dir', state]);
  };

async function admin({ folder, operator }: Caller, args: readonly string[]): Promise<Ended> {
  // As with npm, the command reads and writes files in the folder of its caller.
  Object.assign(process.env, { npm_lifecycle_event: 'admin', INIT_CWD: folder });
  if (operator !== '') process.env.REWARDS_OPERATOR = operator;
  try {
    return await run(args);
  } finally {
    delete process.env.REWARDS_OPERATOR;
  }
}

/** Runs a script of the project. */
function node(args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const { INIT_CWD: _, ...env } = process.env;
    const child = execFile(process.execPath, args, { env, maxBuffer: 2 ** 24 }, (_error, out, err) =>
      resolve({ status: child.exitCode ?? 255, out, err }),
    );
  });
}

const services: Readonly<Record<string, Pick<AwsJsonService, 'name' | 'target'>>> = {
  dynamodb: { name: 'dynamodb', target: 'DynamoDB_20120810' },
  events: { name: 'events', target: 'AWSEvents' },
  sqs: { name: 'sqs', target: 'AmazonSQS' },
};

/**
 * Sends the call that the AWS CLI sends for `aws <service> <operation> --endpoint-url <url> --<parameter> <value>`. A
 * value that begins like JSON is JSON.
 */
const aws: Program = async (_, [service = '', operation = '', ...options]) => {
  const found = services[service];
  if (!found) throw new Error(`there is no stand-in for aws ${service}`);
  const parameters: Record<string, unknown> = {};
  for (let index = 0; index < options.length; index += 2) {
    const [option = '', value = ''] = options.slice(index, index + 2);
    if (!option.startsWith('--')) throw new Error(`aws ${service} ${operation}: ${option} is no option`);
    parameters[pascal(option.slice(2))] = /^[[{]/.test(value) ? JSON.parse(value) : value;
  }
  const { EndpointUrl: endpoint, ...input } = parameters;
  const reply = await callAws<object>({ ...found, endpoint: String(endpoint) }, pascal(operation), input);
  return { status: 0, out: `${JSON.stringify(reply, null, 2)}\n`, err: '' };
};

/** Turns `key-condition-expression` into `KeyConditionExpression`. */
const pascal = (name: string) => name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
