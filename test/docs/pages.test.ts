import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Generated sections do not count, because readers look things up in them and do not read them as a whole. */
const generated = /<!-- generated:\S+ -->.*?<!-- \/generated -->/gs;

const linesOf = (path: string) => readFileSync(path, 'utf8').replace(generated, '').trimEnd().split('\n').length;

describe('size of the documentation', () => {
  it.each(['docs/webhooks-guide.md', ...globSync('docs/architecture/*.md')])('%s has 150 lines or less', (path) => {
    expect(linesOf(path)).toBeLessThanOrEqual(150);
  });

  it('README.md has 100 lines or less', () => {
    expect(linesOf('README.md')).toBeLessThanOrEqual(100);
  });
});

describe('decisions', () => {
  const decisions = globSync('docs/decisions/0*.md').map((path) => ({
    number: basename(path).slice(0, 4),
    title: readFileSync(path, 'utf8').split('\n', 1)[0],
  }));

  it('have a number each', () => {
    const numbers = decisions.map(({ number }) => number);
    expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
  });

  it.each(decisions)('$number has its number in its title', ({ number, title }) => {
    expect(title).toMatch(new RegExp(`^# ${Number(number)}\\. `));
  });
});
