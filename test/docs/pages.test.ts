import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** Generated sections do not count, because readers look things up in them and do not read them as a whole. */
const generated = /<!-- generated:\S+ -->.*?<!-- \/generated -->/gs;

const linesOf = (path: string) => readFileSync(path, 'utf8').replace(generated, '').trimEnd().split('\n').length;

describe('size of the documentation', () => {
  it.each(['docs/webhooks-guide.md', ...globSync('docs/architecture/*.md')])('%s has 150 lines or less', (path) => {
    expect(linesOf(path)).toBeLessThanOrEqual(150);
  });

  it('README.md has 120 lines or less', () => {
    expect(linesOf('README.md')).toBeLessThanOrEqual(120);
  });
});
