import { describe, expect, it } from 'vitest';
import { facts, listed, printable, printableJson, section, table } from '../../../tools/admin/cli/text.ts';

/** Returns whether a text contains control characters. */
const hasControl = (text: string) => ['\u001b', '\u009b', '\u202e'].some((sign) => text.includes(sign));

describe('table()', () => {
  it('aligns columns to the left and numbers to the right', () => {
    expect(
      table(
        ['name', 'points', 'ok'],
        [
          ['Ada', '1,200', true],
          ['Grace M.', '-5', null],
        ],
      ),
    ).toBe(
      ['name      points  ok', '--------  ------  ---', 'Ada        1,200  yes', 'Grace M.      -5  -'].join('\n'),
    );
  });

  it('replaces control characters, line breaks and marks of text direction', () => {
    const hostile = 'Ada\u001b[2J\nfake row\u009b1m\u202etxet';

    expect(table(['name'], [[hostile]]).split('\n')[2]).toBe('Ada\ufffd[2J\ufffdfake row\ufffd1m\ufffdtxet');
    expect(facts({ name: hostile })).not.toContain('\n');
    expect(hasControl(printable(`one\n${hostile}`))).toBe(false);
  });
});

describe('printableJson()', () => {
  it('returns the same document without control characters', () => {
    const value = { name: 'Ada\u001b[2J\n\u009b1m\u202e', list: [1, null] };
    const text = printableJson(value);

    expect([hasControl(value.name), hasControl(text)]).toEqual([true, false]);
    expect(JSON.parse(text)).toEqual(value);
  });
});

describe('listed() and section()', () => {
  it.each([
    [[], 'none'],
    [['a'], 'a'],
    [['a', 'b', 'c'], 'a, b and c'],
  ])('listed() joins %j to "%s"', (parts, text) => expect(listed(parts)).toBe(text));

  it('section() indents its lines and leaves empty lines empty', () => {
    expect(section('Head', 'one\n\ntwo')).toBe('Head\n  one\n\n  two');
  });
});
