import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** Tables that are made from the code are looked up, not read, so they do not count. */
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
