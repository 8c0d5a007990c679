import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { close, listen } from '../../../tools/local/ports.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Runs `npm start` as a user does: two platforms at the same time, one of them with the demonstration. */

interface Started {
  readonly child: ChildProcess;
  readonly stateDirectory: string;
  // biome-ignore lint/suspicious/noExplicitAny: compared field by field
  readonly file: any;
  /** The parts of the standard output so far. */
  readonly printed: readonly string[];
}

const hosts = ['base', 'reward', 'campaign', 'user', 'order', 'notification'];

/** Runs `npm start` in a shell-free way, or with npm, as a user does. */
function start(stateDirectory: string, options: string[] = [], { environment = {}, byNpm = false } = {}): ChildProcess {
  const args = ['--state-dir', stateDirectory, ...options];
  const [program, before] = byNpm ? ['npm', ['start', '--silent', '--']] : [process.execPath, ['tools/local/main.ts']];
  const env = { ...process.env, ...environment };
  return spawn(program, [...before, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env });
}

const newDirectory = () => temporaryFolder('start');

/** Waits until a platform has failed to start. Returns its error output. */
async function readFailure(child: ChildProcess): Promise<string> {
  const [errors, [code]] = await Promise.all([text(child.stderr as Readable), once(child, 'exit')]);
  expect(code).toBe(1);
  return errors;
}

/** Starts a platform and waits until it runs. */
async function startAndWait(options: string[], { byNpm = false } = {}): Promise<Started> {
  const stateDirectory = newDirectory();
  const child = start(stateDirectory, options, { byNpm });
  const errors = text(child.stderr as Readable);
  const printed: string[] = [];
  child.stdout?.on('data', (chunk) => printed.push(String(chunk)));
  await Promise.race([
    once(child.stdout ?? child, 'data'),
    once(child, 'exit').then(async () => Promise.reject(new Error(await errors))),
  ]);
  const file = JSON.parse(readFileSync(join(stateDirectory, 'platform.json'), 'utf8'));
  return { child, stateDirectory, file, printed };
}

/** Whether a server replies at the address. */
function isListening(address: string): Promise<boolean> {
  return fetch(address).then(
    () => true,
    () => false,
  );
}

/** Runs an operator's command and returns the JSON that it prints. */
async function runAdmin(...args: string[]) {
  const child = spawn(process.execPath, ['tools/admin/main.ts', ...args, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { code, json: JSON.parse(printed) };
}

let first: Started;
let second: Started;

beforeAll(async () => {
  [first, second] = await Promise.all([
    startAndWait([], { byNpm: true }),
    startAndWait(['--no-seed', '--json', '--persist']),
  ]);
}, 120_000);

afterAll(() => {
  for (const { child } of [first, second]) child?.kill('SIGKILL');
});

describe('the file platform.json', () => {
  it('contains the addresses of the hosts and the services', () => {
    const url = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/);

    expect(Object.keys(first.file)).toEqual(['hosts', 'aws', 'reference', 'payments', 'demo']);
    expect(first.file.hosts).toEqual(Object.fromEntries(hosts.map((host) => [host, url])));
    expect(first.file.aws).toEqual({
      region: 'us-east-1',
      dynamodb: url,
      sqs: url,
      events: url,
      scheduler: url,
      secrets: url,
      table: expect.any(String),
      bus: expect.any(String),
    });
  });

  it('contains the credentials of the demonstration', () => {
    const organisation = {
      id: expect.any(Number),
      apiKey: expect.any(String),
      clientId: expect.any(String),
      clientSecret: expect.any(String),
    };
    const member = {
      id: expect.any(Number),
      uuid: expect.any(String),
      accessToken: expect.any(String),
      refreshToken: expect.any(String),
      externalId: expect.any(String),
      stripeCustomer: expect.stringMatching(/^cus_/),
      points: expect.any(Number),
    };
    expect(first.file.demo).toMatchObject({
      merchant: organisation,
      partner: organisation,
      outsider: organisation,
      partnership: { uuid: expect.any(String) },
      trigger: { name: expect.any(String), context: {} },
      campaigns: { earn: expect.any(Number), redeem: expect.any(Number) },
    });
    expect(first.file.demo.members).toEqual(expect.arrayContaining([expect.objectContaining(member)]));
    expect(second.file.demo).toEqual({});
  });

  it('is printed with --json', () => {
    expect(JSON.parse(second.printed.join(''))).toEqual(second.file);
  });

  it('exists as soon as all addresses reply', async () => {
    const { dynamodb, sqs, events, scheduler, secrets } = first.file.aws;
    const addresses: string[] = [...Object.values<string>(first.file.hosts), dynamodb, sqs, events, scheduler, secrets];

    expect(await Promise.all(addresses.map(isListening))).not.toContain(false);
  });
});

describe('the loyalty program of the demonstration', () => {
  it('has the accounts of the members in its own books, and is connected to the partner', async () => {
    const { program, members, partner } = first.file.demo;
    const books = JSON.parse(await (await fetch(`${program.url}/control/books`)).text());
    const { json } = await runAdmin('program', 'show', String(partner.id), '--state-dir', first.stateDirectory);

    expect(books.accounts['SKY-77001'].balance).toBe(members[0].points);
    expect(json).toMatchObject({ url: `${program.url}/`, transactions_in_error: [] });
  });
});

describe("the operator's command line", () => {
  it('finds the platform by the path of its state folder', async () => {
    const { json } = await runAdmin('organisation', 'list', '--state-dir', first.stateDirectory);
    expect(json.organisations.map(({ id }: { id: number }) => id)).toEqual([
      first.file.demo.merchant.id,
      first.file.demo.partner.id,
      first.file.demo.outsider.id,
    ]);
    expect((await runAdmin('organisation', 'list', '--state-dir', second.stateDirectory)).json.organisations).toEqual(
      [],
    );
  });

  it('finds the platform by the number of its first port', async () => {
    const { json } = await runAdmin(
      'member',
      'show',
      'cc-1001',
      '--of',
      '1',
      '--port-base',
      new URL(first.file.hosts.base).port,
    );
    expect(json.member.uuid).toBe(first.file.demo.members[0].uuid);
  });

  it('reports no difference in the seeded data', async () => {
    const { code, json } = await runAdmin('reconcile', '--state-dir', first.stateDirectory);
    expect({ code, differences: json.differences }).toEqual({ code: 0, differences: [] });
    // Ada's, and those of four test identities.
    expect(json.compared.accounts).toBe(5);
  });
});

it('a platform listens on the loopback interface only', async () => {
  const external = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal);
  const ports = ({ file: { hosts, aws, demo } }: Started) => [
    ...Object.values<string>(hosts),
    ...[aws.dynamodb, aws.sqs, aws.secrets, demo.program.url],
  ];
  // Without a network there is nothing to be reached from.
  const addresses = external ? ports(first).map((url) => url.replace('127.0.0.1', external.address)) : [];

  expect(await Promise.all(addresses.map(isListening))).not.toContain(true);
});

describe('two local platforms', () => {
  it('use different ports when they start at the same time', () => {
    const ports = ({ file }: Started): string[] => [...Object.values<string>(file.hosts), file.aws.dynamodb];

    expect(ports(second).filter((address) => ports(first).includes(address))).toEqual([]);
  });

  it('cannot use the same state folder', async () => {
    const errors = await readFailure(start(first.stateDirectory));

    const pid = readFileSync(join(first.stateDirectory, 'pid'), 'utf8');
    expect(errors).toContain(`a platform runs here already (process ${pid})`);
    expect(errors).toContain('--state-dir');
    expect(existsSync(join(first.stateDirectory, 'platform.json'))).toBe(true);
  });

  it('cannot use the same ports: the error names the port that is used', async () => {
    const server = createServer();
    const port = await listen(server);

    const errors = await readFailure(start(newDirectory(), ['--port-base', String(port)]));
    await close(server);

    expect(errors).toContain(`in use already: ${port}`);
  });
});

it('the start fails with one line on how to install Java when Java and Docker are missing', async () => {
  const errors = await readFailure(start(newDirectory(), [], { environment: { PATH: '/nowhere' } }));

  expect(errors.trim().split('\n')).toEqual([expect.stringContaining('install one (apt-get install openjdk-17-jre')]);
});

describe('the end of a local platform', () => {
  it('leaves no process and no platform.json after SIGTERM to npm', async () => {
    const { child, file, stateDirectory, printed } = first;
    const at = performance.now();
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');

    expect(code).toBe(0);
    expect(performance.now() - at).toBeLessThan(5_000);
    expect(existsSync(join(stateDirectory, 'platform.json'))).toBe(false);
    const { dynamodb, sqs } = file.aws;
    const addresses = [...Object.values<string>(file.hosts), dynamodb, sqs, file.demo.program.url];
    expect(await Promise.all(addresses.map(isListening))).not.toContain(true);
    expect(printed.join('')).toContain('Ctrl-C ends the platform and deletes its tables and queues');
    expect(printed.at(-1)).toContain('Its tables and queues were in memory only and are deleted.');
  });

  it('ends DynamoDB Local too, even when the platform was killed', async () => {
    const { child, file } = second;
    child.kill('SIGKILL');
    await once(child, 'exit');

    await expect.poll(() => isListening(file.aws.dynamodb), { timeout: 5_000 }).toBe(false);
  });
});
