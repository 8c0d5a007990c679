import { describe, expect, it } from 'vitest';
import { text } from '../../shared/http/wire.ts';

describe('text(), the schema of strings', () => {
  it.each(['x', '\u00e9', '\ud83d\ude00', 'x'.repeat(255)])('accepts %j', (value) => {
    expect(text().safeParse(value).success).toBe(true);
  });

  it('trims white space', () => {
    expect(text().parse(' x ')).toBe('x');
  });

  it('returns one fault for half a surrogate pair', () => {
    expect(text().safeParse('\ud800').error?.issues).toHaveLength(1);
  });

  it.each(['', ' ', 'x'.repeat(256), 'a\u0000', 'a\u0085b', 'a\u2028b', '\ud800', 'x\udc00', '\udc00\ud800', 1, null])(
    'refuses %j',
    (value) => {
      expect(text().safeParse(value).success).toBe(false);
    },
  );
});
