import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Every link and path in the documentation leads to an existing file and heading. */

const root = join(import.meta.dirname, '../..');
const documents = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)));

const withoutCode = (text: string) => text.replaceAll(/^```[\s\S]*?^```$/gm, '');
const textOf = (document: string) => withoutCode(readFileSync(join(root, document), 'utf8'));

/** The targets of links within the repository. */
function relativeLinks(document: string): string[] {
  const targets = [...textOf(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors of a page's headings on the web: lower case, hyphens for blanks, no other signs. */
function anchors(document: string): string[] {
  return [...textOf(document).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

const topLevel = 'functions|shared|infra|tools|clients|test|docs';
const pathLike = new RegExp(`^(${topLevel})/[\\w./-]*$`);

/** Texts in backticks that look like a path of the repository. */
function namedPaths(document: string): string[] {
  const quoted = [...textOf(document).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  // Benches write this folder, so it may not exist.
  return quoted.filter((code) => pathLike.test(code) && !code.startsWith('tools/bench/out'));
}

function resolves(document: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? document : normalize(join(dirname(document), path));
  if (!existsSync(join(root, file))) return false;
  return anchor === undefined || !file.endsWith('.md') || anchors(file).includes(anchor);
}

describe.each(documents)('the page %s', (document) => {
  it('links only to existing files and headings', () => {
    expect(relativeLinks(document).filter((target) => !resolves(document, target))).toEqual([]);
  });

  it('names only existing paths', () => {
    expect(namedPaths(document).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});
