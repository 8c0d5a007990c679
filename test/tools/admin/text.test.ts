import { describe, expect, it } from 'vitest';
import { facts, listed, printable, printableJson, section, table } from '../../../tools/admin/cli/text.ts';

/** Whether a text has signs that a terminal obeys. */
const hasMoving = (text: string) => ['\u001b', '\u009b', '\u202e'].some((sign) => text.includes(sign));

describe('a table', () => {
  it('has columns of one width, numbers to the right', () => {
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

  it('is safe from names that would move the cursor, begin a line, or turn the text around', () => {
    const hostile = 'Ada\u001b[2J\nfake row\u009b1m\u202etxet';

    expect(table(['name'], [[hostile]]).split('\n')[2]).toBe('Ada\ufffd[2J\ufffdfake row\ufffd1m\ufffdtxet');
    expect(facts({ name: hostile })).not.toContain('\n');
    expect(hasMoving(printable(`one\n${hostile}`))).toBe(false);
  });
});

describe('JSON', () => {
  it('is the same document, safe to print', () => {
    const value = { name: 'Ada\u001b[2J\n\u009b1m\u202e', list: [1, null] };
    const text = printableJson(value);

    expect([hasMoving(value.name), hasMoving(text)]).toEqual([true, false]);
    expect(JSON.parse(text)).toEqual(value);
  });
});

describe('words', () => {
  it.each([
    [[], 'none'],
    [['a'], 'a'],
    [['a', 'b', 'c'], 'a, b and c'],
  ])('list %j', (parts, text) => expect(listed(parts)).toBe(text));

  it('stand indented in a section, empty lines empty', () => {
    expect(section('Head', 'one\n\ntwo')).toBe('Head\n  one\n\n  two');
  });
});
