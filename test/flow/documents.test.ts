import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '../../tools/local/ports.ts';
import { startReference } from '../../tools/local/reference/reference.ts';
import { postmanEnvironment } from '../../tools/local/start/postman-environment.ts';
import { Random } from '../soak/random.ts';
import { type ReadersProject, startReadersProject } from './support/document-platform.ts';
import { type Snippet, snippetsOf, Terminal } from './support/guide.ts';
import { runCollection } from './support/run-collection.ts';
import { type LivePage, runReference } from './support/run-reference.ts';

/**
 * Follows the documents as a reader does: every snippet in order, in the project's folder. Each document runs twice on one
 * platform, in a random sequence. Each run has a shell of its own. DOCUMENTS_SEED=<n> repeats a sequence.
 */

const root = join(import.meta.dirname, '../..');
const pages = [
  'README.md',
  ...['try-it', 'partner-guide', 'webhooks-guide', 'first-program'].map((name) => `docs/${name}.md`),
];

const textOf = (page: string) => readFileSync(join(root, page), 'utf8');

/** The pages of the partner guide, in the order of its list. */
const chapters = [...textOf('docs/partner-guide.md').matchAll(/^\d+\. \[.+?\]\((partner-guide\/[\w-]+\.md)\)/gm)].map(
  ([, path]) => `docs/${path}`,
);

/** Each document with the texts that one reader follows in one bash. */
const documents = new Map(
  pages.map((page) => [page, [page, ...(page === 'docs/partner-guide.md' ? chapters : [])].map(textOf)]),
);
const given = Number.parseInt(process.env.DOCUMENTS_SEED ?? '', 10);
const seed = Number.isInteger(given) ? given : Math.floor(Math.random() * 2 ** 31);

/** Every document twice, in the sequence that the seed gives. */
function runsInOrder(): { readonly name: string; readonly nth: number }[] {
  const random = new Random(seed);
  const names = [...documents.keys(), ...documents.keys()];
  const shuffled = names.map((name) => ({ name, at: random.next() })).toSorted((one, other) => one.at - other.at);
  return shuffled.map(({ name }, position) => ({
    name,
    nth: 1 + shuffled.slice(0, position).filter((earlier) => earlier.name === name).length,
  }));
}

describe(`the documents, with DOCUMENTS_SEED=${seed},`, () => {
  let project: ReadersProject;
  const environment = { ...process.env };
  beforeAll(async () => {
    project = await startReadersProject();
  }, 120_000);
  afterAll(async () => {
    await project?.stop();
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, environment);
  });

  it.each(runsInOrder())('work as described: $name, run $nth', { timeout: 300_000 }, async ({ name }) => {
    // The document before may end with a purchase that is not completed yet.
    await project.platform.settled();
    const port = await findFreePort();
    const terminal = new Terminal(project.folder, { ...bare(environment), PATH: project.path, PORT: String(port) });
    try {
      for (const snippet of (documents.get(name) ?? []).flatMap(snippetsOf)) await follow(snippet, terminal);
    } finally {
      await terminal.close();
    }
  });

  it.each([1, 2])(
    'and every request of the Postman collection works with its environment, run %i',
    async () => {
      const { hosts, demo } = JSON.parse(readFileSync(join(project.folder, '.local/platform.json'), 'utf8'));
      const results = await runCollection(postmanEnvironment(hosts, demo));
      expect(results.filter(({ passed, problems }) => passed.length === 0 || problems.length > 0)).toEqual([]);
      expect(results.length).toBeGreaterThan(50);
    },
    300_000,
  );

  it.each([1, 2])(
    'and every example of the API reference works unedited, run %i',
    async () => {
      const { hosts, demo } = JSON.parse(readFileSync(join(project.folder, '.local/platform.json'), 'utf8'));
      const { apiKey: partnerKey, clientId: id, clientSecret: secret } = demo.merchant;
      const credentials = { partnerKey, client: { id, secret } };
      const reference = await startReference({ hosts, credentials, environment: postmanEnvironment(hosts, demo) });
      try {
        const page: LivePage = JSON.parse(await (await fetch(`${reference.url}live.json`)).text());
        expect(page.problem).toBeUndefined();
        const results = await runReference(page);
        expect(results.filter((result) => !result.endsWith(': done'))).toEqual([]);
        expect(results.length).toBeGreaterThan(40);
      } finally {
        await reference.close();
      }
    },
    60_000,
  );

  it('contain TypeScript without type errors', () => {
    const [file] = globSync('.local/*/receiver.mts', { cwd: project.folder });
    expect(file).toBeDefined();
    expect(typeErrors(project.folder, [String(file)])).toBe('');
  });

  it('cause no call that AWS would deny to a function', () => {
    const refused = project.platform.calls().filter(({ error }) => error === 'AccessDeniedException');
    expect(refused).toEqual([]);
  });

  it('include every page of the partner guide', () => {
    expect(chapters.toSorted()).toEqual(globSync('docs/partner-guide/*.md', { cwd: root }).toSorted());
  });

  it('never use the demonstration’s data in first-program.md', () => {
    expect(textOf('docs/first-program.md')).not.toContain('at demo');
  });
});

/** A reader's environment, without the variables of npm and of this test. */
const bare = ({ HOME, TMPDIR, LANG, NODE_COMPILE_CACHE }: NodeJS.ProcessEnv) => ({
  ...{ HOME, TMPDIR, LANG, NODE_COMPILE_CACHE },
});

async function follow(snippet: Snippet, terminal: Terminal): Promise<void> {
  const place = `${snippet.heading}:\n${snippet.code}`;
  const printed = await terminal.run(snippet);
  expect(terminal.complaints, place).toBe('');
  if (snippet.output === undefined) expect(printed, place).toBe('');
  else expect(printed.trim(), place).toMatch(snippet.output);
}

/** Returns the messages of the compiler, with the settings of the repository. */
function typeErrors(directory: string, files: readonly string[]): string {
  const settings = { extends: join(root, 'tsconfig.json'), include: [], exclude: [], files };
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(settings));
  try {
    return execFileSync(join(root, 'node_modules/.bin/tsc'), ['--project', directory], { encoding: 'utf8' });
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout ?? error);
  }
}
