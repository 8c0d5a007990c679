import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeTestTable, type TestTable } from '../../support/test-table.ts';
import { run, stateOf } from './command-line.ts';

/** The command line as a process: its exit status and its two outputs. */

let table: TestTable;
let place: string[];
beforeAll(async () => {
  table = await makeTestTable({ onDynamoDb: true });
  place = ['--state-dir', stateOf(table)];
});

async function spawned(...args: string[]) {
  const child = spawn(process.execPath, ['tools/admin/main.ts', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { status, out, err };
}

describe('the process of the command line', () => {
  it('ends with status 0 after a success', async () => {
    const made = await spawned('organisation', 'create', 'Café Größe', '--kind', 'merchant', '--json', ...place);
    const listed = await spawned(...place, 'organisation', 'list');

    expect(made).toMatchObject({ status: 0, err: '' });
    expect(JSON.parse(made.out).organisation).toMatchObject({ id: 1, name: 'Café Größe' });
    expect(listed).toMatchObject({ status: 0, err: '', out: expect.stringContaining('Café Größe') });
  });

  it('ends with status 1 after a failure', async () => {
    const { status, out, err } = await spawned('organisation', 'list', '--state-dir', '/nowhere');

    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toMatch(
      /^no platform runs on this machine \(there is no \/nowhere\/platform\.json\); start one with npm start/,
    );
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  it('changes nothing when it cannot ask a question', async () => {
    const { json } = await run(['key', 'create', '1', '--json', ...place]);
    const { status, out, err } = await spawned('key', 'revoke', json.key.id, ...place);

    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toContain('there is no terminal to ask at; give --yes');
  });

  it('ends with status 2 after wrong usage', async () => {
    const { status, out, err } = await spawned('organisation', 'create', ...place);

    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toBe('missing: <name>, --kind <kind>\nGive --help to see how the command is used.\n');
  });
});

it.each([
  [['organisation'], 'Usage: npm run admin -- organisation'],
  [[], 'Usage: npm run admin -- <command> [options]'],
])('a group without a command shows its usage: %j', async (args, message) => {
  const { status, out, err } = await run(args);

  expect({ status, out }).toEqual({ status: 2, out: '' });
  expect(err).toContain(message);
});

describe('the help of the command line', () => {
  /** Commands that work for hosted programs only. */
  const hostedOnly = [
    'member adjust',
    ...['open', 'import', 'list', 'change', 'close'].map((name) => `program account ${name}`),
  ];

  /** The first word of each line below a heading of commands in a help text. */
  async function commandsOf(...path: string[]): Promise<string[]> {
    const { status, out } = await run([...path, '--help']);
    expect(status).toBe(0);
    const [, commands = ''] = out.split(/^(?:Commands|Every day):\n/m);
    return [...commands.matchAll(/^ {2}(\S+)/gm)].map(([, name = '']) => name);
  }

  /** The paths of all commands below a path, at any depth. */
  async function pathsBelow(...path: string[]): Promise<string[][]> {
    const commands = await commandsOf(...path);
    if (commands.length === 0) return [path];
    const paths: string[][] = [];
    for (const command of commands) paths.push(...(await pathsBelow(...path, command)));
    return paths;
  }

  it('has the headings every day, set up and repair', async () => {
    const { out } = await run(['--help']);
    expect(out.match(/^[A-Z].*:$/gm)).toEqual(['Options:', 'Every day:', 'Set up:', 'Repair:']);
  });

  it('describes every command with an example', async () => {
    const paths = await pathsBelow();
    const groups = [...new Set(paths.map(([group]) => group))];
    expect(groups).toEqual(expect.arrayContaining(['organisation', 'key', 'trigger', 'member', 'token', 'reconcile']));
    for (const path of paths) {
      const { status, out, err } = await run([...path, '--help']);
      expect({ path, status, err }).toEqual({ path, status: 0, err: '' });
      expect(out).toContain(`Usage: npm run admin -- ${path.join(' ')}`);
      expect(out).toMatch(new RegExp(`^Examples?:\\n {2}npm run admin -- ${path.join(' ')}`, 'm'));
      expect(out).toContain('--json');
      // Skyline Miles runs its own program in the demonstration: an example for hosted programs must not name it.
      if (hostedOnly.includes(path.join(' '))) expect(out).not.toContain('Skyline Miles');
    }
  });
});

describe('a failure of a command', () => {
  it('is reported when DynamoDB does not answer', async () => {
    const { status, err } = await run(['organisation', 'list', '--port-base', '1']);

    expect(status).toBe(1);
    expect(err).toContain('nothing answers at http://127.0.0.1:7');
  });

  it('is reported when the table does not exist', async () => {
    const state = stateOf({ name: 'no-such-table', endpoint: table.endpoint });
    const { status, err } = await run(['organisation', 'list', '--state-dir', state]);

    expect(status).toBe(1);
    expect(err).toBe('Cannot do operations on a non-existent table\n');
  });

  it('is reported when a stored item violates its schema', async () => {
    const item = { pk: 'ORGANISATION#1', sk: 'ORGANISATION', id: 1, name: 'Half' };
    await table.client.write({ kind: 'put', item });
    const { status, err } = await run(['organisation', 'show', '1', ...place]);

    expect(status).toBe(1);
    expect(err).toMatch(
      /^an item of the table does not have the form that this version writes: \/kind: has to be one of MERCHANT, PARTNER;/,
    );
  });
});
