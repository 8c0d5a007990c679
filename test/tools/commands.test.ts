import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { stageSettings } from '../../infra/stages.ts';
import { findAccount } from '../../tools/aws-account.ts';
import { readOptions, UsageError } from '../../tools/command.ts';
import { listExportFiles } from '../../tools/restore-drill/table-export.ts';
import { outputsIn, readTenant, urlsOf } from '../../tools/smoke/smoke.ts';
import { installPackage, NotInstallableError } from '../../tools/try-deploy/python-package.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** When a command of `npm run` fails, it says in one sentence what to do, without a stack trace. */

const folder = temporaryFolder('commands');

/** AWS as a double: it knows no stack, and no credentials but those of the key `known`. */
let aws: Receiver;
beforeAll(async () => {
  aws = await startReceiver((response, _request, { headers, body }) => {
    const xml = (status: number, text: string) =>
      response.writeHead(status, { 'content-type': 'text/xml' }).end(`<?xml version="1.0"?>${text}`);
    const error = (status: number, code: string, message: string) =>
      xml(
        status,
        `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
      );
    if (!headers.authorization?.includes('Credential=known/')) {
      return error(403, 'InvalidClientTokenId', 'The security token is invalid.');
    }
    const stack = /StackName=([^&]+)/.exec(body)?.[1];
    if (stack !== undefined) return error(400, 'ValidationError', `Stack with id ${stack} does not exist`);
    const identity = '<GetCallerIdentityResult><Account>111122223333</Account></GetCallerIdentityResult>';
    return xml(200, `<GetCallerIdentityResponse>${identity}</GetCallerIdentityResponse>`);
  });
});
afterAll(() => aws.close());

interface Ended {
  readonly status: number | string | null | undefined;
  readonly out: string;
  readonly err: string;
}

/** Runs a tool with an environment in which there is nothing of AWS. */
function run(args: readonly string[], cwd = process.cwd(), env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const [script = '', ...others] = args;
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const nothing = { PATH, NODE_COMPILE_CACHE, HOME: folder, AWS_EC2_METADATA_DISABLED: 'true' };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [join(process.cwd(), 'tools', script), ...others],
      { env: { ...nothing, ...env }, cwd },
      (error, out, err) => resolve({ status: error ? error.code : 0, out, err }),
    );
    child.stdin?.end();
  });
}

const mains = {
  smoke: 'smoke/main.ts',
  deploy: 'deploy/main.ts',
  'restore-drill': 'restore-drill/main.ts',
  'record-release': 'releases/record.ts',
  'release-notes': 'releases/notes.ts',
  'stack-trace': 'releases/stack-trace.ts',
  'try-deploy': 'try-deploy/main.ts',
  'check:templates': 'check-templates/main.ts',
};

it.each(Object.entries(mains))('npm run %s refuses an unknown option in one line', async (_name, script) => {
  const { status, out, err } = await run([script, '--nope']);
  expect({ status, out, err }).toEqual({ status: 2, out: '', err: "Unknown option '--nope': see --help\n" });
});

it.each([
  [[mains.smoke, '--stage', 'production'], 1, 'production needs a standing tenant: make one with --make-tenant, and'],
  [[mains.smoke, '--stage', 'sandbox'], 1, 'AWS accepts no credentials of this environment ('],
  [
    [mains.deploy, '--synth', '--stage', 'sandbox', '--diff', '--built'],
    2,
    '--synth only builds and synthesizes: leave out --diff, --built\n',
  ],
  [[mains['stack-trace']], 2, 'name the folder of the source maps and the function, such as'],
  [[mains['stack-trace'], folder, 'reward/x'], 1, `${folder} has no source map of the function reward/x: ENOENT`],
  [[mains['release-notes'], 'v9.9.9'], 2, 'there is no tag or commit v9.9.9: git tag lists the tags\n'],
  [[mains['release-notes'], 'a', 'b', 'c'], 2, 'there is one argument too many, c: give FROM and TO at most\n'],
  [[mains['release-notes'], 'HEAD', 'HEAD'], 2, 'there is no commit after HEAD up to HEAD: FROM has to be before TO\n'],
])('%j ends with status %i and one sentence', async (args, expected, sentence) => {
  const { status, out, err } = await run(args);
  expect([status, out, err]).toEqual([expected, '', expect.stringContaining(sentence)]);
  expect(err).toMatch(/^.+\n$/);
});

it('npm run demo beside a platform without the demonstration says what to do', async () => {
  const state = temporaryFolder('unseeded');
  writeFileSync(join(state, 'platform.json'), JSON.stringify({ hosts: { base: aws.url }, demo: {} }));
  const { status, out, err } = await run(['demo/main.ts', '--state-dir', state]);
  expect([status, out, err]).toEqual([
    1,
    '',
    expect.stringMatching(
      /could not begin: .* has no demonstration, .* --no-seed\. Stop it and run npm start; or give --state-dir/,
    ),
  ]);
});

describe('readOptions()', () => {
  it.each([
    [['--stage'], "Option '--stage <value>' argument missing: see --help"],
    [['--stage', 'a', 'b'], "Unexpected argument 'b'. This command does not take positional arguments: see --help"],
  ])('refuses %j as wrong usage', (args, message) => {
    const options = { stage: { type: 'string' } } as const;
    expect(() => readOptions({ args: [...args], options })).toThrow(new UsageError(message));
  });
});

describe('the error about AWS credentials', () => {
  beforeEach(() => {
    for (const name of Object.keys(process.env).filter((each) => each.startsWith('AWS_'))) vi.stubEnv(name, undefined);
    const nothing = {
      HOME: folder,
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_MAX_ATTEMPTS: '1',
      AWS_ENDPOINT_URL: aws.url,
    };
    for (const [name, value] of Object.entries(nothing)) vi.stubEnv(name, value);
  });
  afterEach(() => vi.unstubAllEnvs());
  const use = (key: string) => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', key);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'any');
  };

  it('says to log in when there are no credentials', async () => {
    await expect(findAccount('us-east-1')).rejects.toThrow(
      /^AWS accepts no credentials of this environment \(Could not load .*\): log in, .*, or name another profile in AWS_PROFILE$/,
    );
  });

  it('names an unknown profile from AWS_PROFILE', async () => {
    vi.stubEnv('AWS_PROFILE', 'nobody');
    await expect(findAccount('us-east-1')).rejects.toThrow(
      /^AWS accepts no credentials of the profile nobody \(AWS_PROF/,
    );
  });

  it('contains the reason when AWS refuses the credentials', async () => {
    use('unknown');
    await expect(findAccount('us-east-1')).rejects.toThrow('(The security token is invalid.): log in');
  });

  it('names the stack that is missing in the account', async () => {
    use('known');
    expect(await findAccount('us-east-1')).toBe('111122223333');
    await expect(urlsOf(stageSettings('sandbox'), outputsIn('us-east-1'))).rejects.toThrow(
      /^this account has no stack rewards-sandbox-\w+ with the output Url in us-east-1: deploy the stage, or name/,
    );
  });
});

it('the smoke test refuses a tenant that is no JSON', () => {
  expect(readTenant(undefined)).toBeUndefined();
  expect(() => readTenant('tenant')).toThrow('SMOKE_TENANT is no JSON: set it to the line that --make-tenant printed');
});

it('the restore drill refuses a folder without an export, and names the folder', () => {
  expect(() => listExportFiles(folder)).toThrow(`${folder} has no files *.json.gz of an export`);
});

it('check:templates and try-deploy say that Python is missing; try-deploy also names openssl', async () => {
  vi.stubEnv('PATH', folder);
  const { signal } = new AbortController();
  const install = installPackage({ name: 'any', version: '1' }, { folder: temporaryFolder('python'), signal });
  await expect(install).rejects.toThrow(
    new NotInstallableError('there is no python3: install Python 3.10 or newer, then try again'),
  );
  vi.unstubAllEnvs();
  const { status, err } = await run([mains['try-deploy']], temporaryFolder('empty'), { PATH: folder });
  expect([status, err]).toEqual([1, '- there is no openssl: install it, then try again\n']);
});

/** Runs git in a folder, as a person without settings. */
function gitIn(cwd: string): (...args: readonly string[]) => Promise<string> {
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
  return (...args) =>
    new Promise((resolve, reject) =>
      execFile('git', [...identity, ...args], { cwd }, (error, out) => (error ? reject(error) : resolve(out))),
    );
}

describe('the search for markers of a merge', () => {
  const work = temporaryFolder('merged');
  const git = gitIn(work);
  const search = () => run(['merge-markers.ts'], work);
  const write = (file: string, text: string) => writeFileSync(join(work, file), text);

  it('refuses tracked files with a conflict, and names the lines', async () => {
    await git('init', '--quiet');
    write('page.md', `A\n${'<'.repeat(7)} HEAD\none\n${'='.repeat(7)}\ntwo\n${'>'.repeat(7)} branch\n`);
    await git('add', '.');
    const { status, err } = await search();
    expect([status, err.split('\n')]).toEqual([
      1,
      [
        `page.md:2:${'<'.repeat(7)} HEAD`,
        `page.md:6:${'>'.repeat(7)} branch`,
        'A merge left these lines: join both halves, and delete the lines',
        '',
      ],
    ]);
  });

  it('accepts underlined headings, longer lines and quotations', async () => {
    write('page.md', `Heading\n${'='.repeat(7)}\n${'<'.repeat(8)}\n> ${'>'.repeat(7)} x\n`);
    expect(await search()).toEqual({ status: 0, out: '', err: '' });
  });

  it('fails and says so when there is no repository', async () => {
    const { status, err } = await run(['merge-markers.ts'], temporaryFolder('none'));
    expect([status, err]).toEqual([1, expect.stringMatching(/^git failed: fatal: not a git repository/)]);
  });
});

describe('npm run release-notes', () => {
  const work = temporaryFolder('repository');
  const git = gitIn(work);
  async function commit(title: string, file: string): Promise<void> {
    mkdirSync(dirname(join(work, file)), { recursive: true });
    writeFileSync(join(work, file), title);
    await git('add', '.');
    await git('commit', '-m', title);
  }
  const notes = (...args: readonly string[]) => run([mains['release-notes'], ...args], work);

  it('begins its notes at the last tag or release, else at the first commit', async () => {
    await git('init', '--quiet');
    await commit('feat: one', 'one');
    const all = await notes();
    expect([all.status, all.err]).toEqual([
      0,
      expect.stringMatching(/^The notes of 1 commits? up to HEAD, from the first/),
    ]);
    await commit('chore: record a release', 'test/fixtures/releases/0.1.0.json.br');
    await commit('feat: two', 'two');
    const recorded = await notes();
    expect([recorded.out, recorded.err]).toEqual([
      expect.not.stringContaining('- one'),
      expect.stringMatching(/^The notes of 1 commits up to HEAD, after [0-9a-f]+, which recorded the last release/),
    ]);
    await git('tag', 'v0.2.0');
    await commit('feat: three', 'three');
    const tagged = await notes();
    expect([tagged.out, tagged.err]).toEqual([
      expect.not.stringContaining('- two'),
      expect.stringContaining('after the tag v0.2.0'),
    ]);
    expect(tagged.out).toContain('- three');
    expect((await notes('v0.2.0', 'HEAD')).err).toContain('after v0.2.0.');
  });

  it('fails and says so when there is no repository', async () => {
    const { status, err } = await run([mains['release-notes']], temporaryFolder('none'));
    expect([status, err]).toEqual([1, expect.stringMatching(/^git failed: fatal: not a git repository/)]);
  });
});
