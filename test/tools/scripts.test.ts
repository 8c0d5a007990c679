import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The commands in the documents work with any Node from 20 on: the dependencies contain the Node that runs them. */

const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync('package.json', 'utf8'));

describe('npm scripts without npm ci', () => {
  let directory: string;

  beforeAll(() => {
    directory = temporaryFolder('fresh-clone');
    mkdirSync(join(directory, 'tools'), { recursive: true });
    cpSync('tools/installed.sh', join(directory, 'tools/installed.sh'));
  });

  it.each(Object.entries(scripts))('npm run %s says that npm ci is missing', (_, script) => {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', script], { cwd: directory, encoding: 'utf8' });

    expect({ status, stdout, lines: stderr.trim().split('\n') }).toEqual({
      status: 1,
      stdout: '',
      lines: [expect.stringContaining('run npm ci')],
    });
  });
});

describe('commands of the documents', () => {
  const pages = ['README.md', ...globSync(['docs/**/*.md', 'tools/**/*.md', 'clients/typescript/*.md'])].filter(
    (page) => !page.includes('node_modules') && !page.startsWith('docs/decisions/'),
  );

  /** A page may run `node` with a TypeScript file only if it puts the Node of the dependencies into `PATH`. */
  const setsPath = /^(export |ROOT=\$\{ROOT:-\$PWD\} )PATH=\$(PWD|ROOT)\/node_modules\/\.bin:\$PATH/m;

  it.each(pages)('%s runs TypeScript with the Node of the dependencies', (page) => {
    const text = readFileSync(page, 'utf8');
    const plain = text.match(/(?<!npx )\bnode [\w./-]+\.m?ts\b.*/g) ?? [];

    expect(setsPath.test(text) ? [] : plain).toEqual([]);
  });

  it.each(pages)('%s names only npm scripts that exist', (page) => {
    const named = [...readFileSync(page, 'utf8').matchAll(/npm run (?:--silent )?([a-z][a-z:-]*)/g)].map(
      ([, name]) => name,
    );

    expect(named.filter((name) => name !== undefined && !(name in scripts))).toEqual([]);
  });
});

it('the configuration of npm names no registry', () => {
  expect(readFileSync('.npmrc', 'utf8')).not.toMatch(/registry|https?:/);
});
