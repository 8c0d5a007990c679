import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { close, listen } from '../../../tools/local/ports.ts';
import { assembledFolder } from '../../support/assembled-folder.ts';
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

/** Uses the cloud assembly of `npm test`, if there is one. */
const built = assembledFolder === undefined ? [] : ['--assembly', join(assembledFolder, 'cdk.out')];

/** Runs `npm start` with npm, as a user does, or runs its program directly. */
function start(stateDirectory: string, options: string[] = [], { environment = {}, byNpm = false } = {}): ChildProcess {
  const args = ['--state-dir', stateDirectory, ...options];
  const [program, before] = byNpm ? ['npm', ['start', '--silent', '--']] : [process.execPath, ['tools/local/main.ts']];
  const env = { ...process.env, ...environment };
  // A process group of its own, so that a test can send a signal to all of it, like a terminal.
  return spawn(program, [...before, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env, detached: true });
}

/** Returns the ids of a process and all its descendants. */
function listTree(root: number | undefined): number[] {
  const lines = execFileSync('ps', ['-axo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const processes = lines.map((line) => line.trim().split(/\s+/).map(Number));
  const below = (pid: number | undefined): number[] =>
    processes.flatMap(([child = 0, parent]) => (parent === pid ? [child, ...below(child)] : []));
  return [root ?? 0, ...below(root)];
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Waits until the standard output contains a text. */
async function waitForOutput(child: ChildProcess, printed: readonly string[], text: string): Promise<void> {
  while (!printed.join('').includes(text)) await once(child.stdout ?? child, 'data');
}

/** Collects the standard output of a process. */
function collectOutput(child: ChildProcess): string[] {
  const printed: string[] = [];
  child.stdout?.on('data', (chunk) => printed.push(String(chunk)));
  return printed;
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
  const printed = collectOutput(child);
  await Promise.race([
    waitForOutput(child, printed, options.includes('--json') ? '"demo"' : 'Ctrl-C ends'),
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
    startAndWait(['--no-seed', '--no-dashboard', '--json', '--persist', ...built]),
  ]);
}, 120_000);

afterAll(() => {
  for (const started of [first, second]) started?.child.kill('SIGKILL');
});

describe('the output of a start', () => {
  it('has a line for each step', () => {
    expect(first.printed.join('')).toMatch(
      /Building the functions.*…\nStarting hosts.*…\nCreating the organisations.*…\n/,
    );
  });

  it('names organisations, members, the guides and the next steps', () => {
    const { demo, reference } = first.file;
    const text = first.printed.join('');

    expect(text).toContain(`Corner Coffee (merchant ${demo.merchant.id})`);
    expect(text).toContain(`Skyline Miles (partner ${demo.partner.id})`);
    expect(text).toContain(`Ada Byron (member ${demo.members[0].id}, 25000 points)`);
    expect(text).toContain(`Grace Murray (member ${demo.members[1].id}, in no program yet)`);
    for (const link of [
      reference,
      'docs/partner-guide.md',
      'docs/first-program.md',
      'docs/api/openapi.json',
      'npm run demo',
    ]) {
      expect(text).toContain(link);
    }
  });
});

describe('the file platform.json', () => {
  it('contains the addresses of the hosts and the services', () => {
    const url = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/);

    expect(Object.keys(first.file)).toEqual(['hosts', 'sites', 'aws', 'reference', 'payments', 'demo']);
    expect(first.file.hosts).toEqual(Object.fromEntries(hosts.map((host) => [host, url])));
    expect(first.file.aws).toEqual({
      region: 'us-east-1',
      dynamodb: url,
      sqs: url,
      events: url,
      scheduler: url,
      secrets: url,
      parameters: url,
      // A name of its own: its cookies stay apart from those of the dashboard.
      oidc: expect.stringMatching(/^http:\/\/localhost:\d+$/),
      s3: first.file.aws.sqs,
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
    const { dynamodb, sqs, events, scheduler, secrets, parameters } = first.file.aws;
    const urls = [...Object.values<string>(first.file.hosts), ...Object.values<string>(first.file.sites)];
    const addresses = [...urls, dynamodb, sqs, events, scheduler, secrets, parameters];

    expect(await Promise.all(addresses.map(isListening))).not.toContain(false);
  });
});

describe('the dashboard', () => {
  it('is served at the printed address, with its files and its headers', async () => {
    const { dashboard } = first.file.sites;
    expect(first.printed.join('')).toMatch(new RegExp(`The dashboard\\n +open +${dashboard}/\\n`));

    const page = await fetch(`${dashboard}/`);
    const html = await page.text();
    const [, script = ''] = /<script type="module"[^>]* src="([^"]+)"/.exec(html) ?? [];
    const file = await fetch(`${dashboard}${script}`);

    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style| style=| on[a-z]+=/);
    expect(file.headers.get('cache-control')).toContain('immutable');
    expect(file.headers.get('content-type')).toBe('text/javascript');
    expect(await (await fetch(`${dashboard}/campaigns`)).text()).toBe(html);
  });

  it('is printed with a person to sign in as', () => {
    const [{ name, organisation }] = first.file.demo.people;

    expect(first.printed.join('')).toMatch(new RegExp(`sign in as +${name}, [a-z ]+ of ${organisation}`));
  });

  it("has its API, with the API's own errors", async () => {
    const reply = await fetch(`${first.file.sites.dashboard}/api/no/such/thing`);

    expect(reply.status).toBe(404);
    expect(await reply.json()).toMatchObject({ error: 'not_found' });
  });

  it('is left out with --no-dashboard', () => {
    expect(second.file.sites).toEqual({});
    expect(second.printed.join('')).not.toContain('The dashboard');
  });
});

describe('the loyalty program of the demonstration', () => {
  it('has the accounts of the members in its books', async () => {
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
    // The account of Ada, and the accounts of four test identities.
    expect(json.compared.accounts).toBe(5);
  });
});

it('a platform listens on the loopback interface only', async () => {
  const external = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address);
  const servers = [...new Set(JSON.stringify(first.file).match(/(?<=http:\/\/127\.0\.0\.1:)\d+/g))];
  // A server on all interfaces also replies at 127.0.0.2, so the test finds such a server even without a network.
  const addresses = [...external, '127.0.0.2'].flatMap((host) => servers.map((port) => `http://${host}:${port}`));

  // Six hosts, six AWS services (DynamoDB, SQS, events, scheduler, secrets, parameters), the dashboard, the program
  // and the API reference.
  expect(servers.length).toBeGreaterThanOrEqual(14);
  expect(await Promise.all(servers.map((port) => isListening(`http://127.0.0.1:${port}`)))).not.toContain(false);
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

  it('cannot use the same ports: the error names the port', async () => {
    const server = createServer();
    const port = await listen(server);

    const errors = await readFailure(start(newDirectory(), ['--port-base', String(port)]));
    await close(server);

    // Other programs of the machine may use one of the next ports.
    const named = String.raw`^(Port ${port} is|Ports ${port}(, \d+)+ are) in use by another program: stop it, or choose other ports`;
    expect(errors.trim()).toMatch(new RegExp(String.raw`${named} with npm start -- --port-base N\.$`));
  });
});

describe('the error of a start', () => {
  const expectSentence = async (folder: string, expected: string) => {
    const errors = (await readFailure(start(folder))).trim();

    expect(errors).toContain(expected);
    expect(errors.split('\n')).toHaveLength(1);
  };

  it('is one line when a part of the state folder’s path is a file', () =>
    expectSentence(join(second.stateDirectory, 'pid', 'state'), 'is not a folder (ENOTDIR)'));

  // Under /sys, not even root can make a folder.
  it.runIf(process.platform === 'linux')('is one line for a read-only state folder', () =>
    expectSentence('/sys/rewards', 'cannot be written'),
  );

  it('names the right command when npm took an option for itself', async () => {
    const environment = { npm_lifecycle_event: 'start', npm_config_persist: 'true' };

    expect(await readFailure(start(newDirectory(), [], { environment }))).toContain('write npm start -- --persist');
  });
});

it('a start without Java and Docker says how to install Java', async () => {
  const errors = await readFailure(start(newDirectory(), [], { environment: { PATH: '/nowhere' } }));

  expect(errors.trim().split('\n')).toEqual([expect.stringContaining('install one (apt-get install openjdk-17-jre')]);
});

describe('the end of a start that is not complete', () => {
  const toGroup = (signal: NodeJS.Signals) => (npm: number) => process.kill(-npm, signal);
  const toNpm = (signal: NodeJS.Signals) => (npm: number) => process.kill(npm, signal);

  it.each<[string, ((npm: number) => void)[]]>([
    ['SIGINT to the group, as Ctrl-C sends it', [toGroup('SIGINT')]],
    ['SIGTERM to npm, twice', [toNpm('SIGTERM'), toNpm('SIGTERM')]],
    ['SIGKILL to npm, which cannot pass it on', [toNpm('SIGKILL')]],
  ])(
    'leaves no process and no lock after %s',
    async (_, signals) => {
      const directory = newDirectory();
      const child = start(directory, ['--no-seed'], { byNpm: true });
      await waitForOutput(child, collectOutput(child), 'Building');
      await expect.poll(() => listTree(child.pid).length, { timeout: 20_000 }).toBeGreaterThan(4);
      const processes = listTree(child.pid);

      for (const send of signals) send(child.pid ?? 0);

      await expect.poll(() => processes.filter(isAlive), { timeout: 20_000 }).toEqual([]);
      expect(existsSync(join(directory, 'pid'))).toBe(false);
    },
    60_000,
  );
});

describe('the end of a local platform', () => {
  it('leaves no process and no platform.json after SIGTERM', async () => {
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

  it('leaves no process after SIGKILL to the platform', async () => {
    const { child, file } = second;
    const processes = listTree(child.pid);
    child.kill('SIGKILL');
    await once(child, 'exit');

    await expect.poll(() => isListening(file.aws.dynamodb), { timeout: 5_000 }).toBe(false);
    await expect.poll(() => processes.filter(isAlive), { timeout: 5_000 }).toEqual([]);
  });
});
