import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../../tools/local/eventbridge/pattern/event-pattern.ts';
import { InvalidEventPatternError } from '../../../tools/local/eventbridge/pattern/matcher.ts';

interface Case {
  id: string;
  features: string[];
  matches: boolean;
  pattern: object;
  event: object;
  pattern_text?: string;
  event_text?: string;
}

interface Conformance {
  cases: Case[];
  invalid_patterns: { pattern_text: string; error: string }[];
  valid_patterns: { pattern_text: string }[];
}

// Recorded from aws/event-ruler. A case has `event_text` if `JSON.parse` would lose a detail of the event.
const conformance = JSON.parse(
  readFileSync(new URL('../../fixtures/eventbridge-patterns.json', import.meta.url), 'utf8'),
) as Conformance;

describe('compilePattern(), for patterns recorded from AWS,', () => {
  it.each(conformance.cases)('returns $matches for the event of $id as text ($features)', (row) => {
    const pattern = compilePattern(row.pattern_text ?? JSON.stringify(row.pattern));
    expect(pattern.matches(row.event_text ?? JSON.stringify(row.event))).toBe(row.matches);
  });

  it.each(conformance.cases.filter(({ event_text }) => event_text === undefined))(
    'returns $matches when the event of $id is passed as an object ($features)',
    ({ pattern, pattern_text, event, matches }) => {
      expect(compilePattern(pattern_text ?? JSON.stringify(pattern)).matches(event)).toBe(matches);
    },
  );

  it.each(conformance.valid_patterns)('accepts the pattern $pattern_text', ({ pattern_text }) => {
    expect(() => compilePattern(pattern_text)).not.toThrow();
  });

  it.each(conformance.invalid_patterns)('refuses the pattern $pattern_text', ({ pattern_text }) => {
    expect(() => compilePattern(pattern_text)).toThrow(InvalidEventPatternError);
  });
});

describe('compilePattern(), beyond the recorded patterns,', () => {
  it.each([
    ['matches a parsed event', '{"a":[1]}', { a: 1 }, true],
    ['reads a name with a dot as a path', '{"a":{"b":{"c":[1]}}}', { 'a.b': { c: 1 } }, true],
    [
      'ignores fields that the pattern does not name',
      '{"a":{"b":[1]}}',
      { a: { bc: 2, b: 1 }, ab: [{}], c: null },
      true,
    ],
    [
      'compares numbers beyond double precision by spelling: different',
      '{"a":[9007199254740993]}',
      '{"a":9007199254740992}',
      false,
    ],
    [
      'compares numbers beyond double precision by spelling: equal',
      '{"a":[9007199254740993]}',
      '{"a":9007199254740993}',
      true,
    ],
    [
      'does not match when one of two $or fails',
      '{"$or":[{"a":[1]},{"b":[1]}],"$or":[{"c":[1]},{"d":[1]}]}',
      '{"a":1}',
      false,
    ],
    [
      'matches when both of two $or hold',
      '{"$or":[{"a":[1]},{"b":[1]}],"$or":[{"c":[1]},{"d":[1]}]}',
      '{"a":1,"d":1}',
      true,
    ],
    ['requires both parts of a name that occurs twice', '{"a":{"b":[1]},"a":{"c":[1]}}', '{"a":{"c":1}}', false],
    ['matches an escaped asterisk', '{"a":[{"wildcard":"1\\\\*2"}]}', '{"a":"1*2"}', true],
    ['does not let the ends of a wildcard overlap', '{"a":[{"wildcard":"ab*ba"}]}', '{"a":"aba"}', false],
    ['lets a wildcard match line breaks', '{"a":[{"wildcard":"a*c"}]}', '{"a":"a\\nc"}', true],
    ['matches another spelling of an address', '{"a":["2001:db8::1"]}', '{"a":"2001:0db8:0:0:0:0:0:1"}', true],
    ['matches the last address of a block', '{"a":[{"cidr":"10.1.2.0/23"}]}', '{"a":"10.1.3.255"}', true],
    ['does not match the address after a block', '{"a":[{"cidr":"10.1.2.0/23"}]}', '{"a":"10.1.4.0"}', false],
    ['matches an address of a v6 block', '{"a":[{"cidr":"2001:db8::/33"}]}', '{"a":"2001:db8:7fff::1"}', true],
    ['does not match a v4 address with a v6 block', '{"a":[{"cidr":"::/0"}]}', '{"a":"10.0.0.1"}', false],
    ['matches special characters regardless of case', '{"a":[{"equals-ignore-case":"A.B*"}]}', '{"a":"a.b*"}', true],
    ['does not read special characters as operators', '{"a":[{"equals-ignore-case":"A.B*"}]}', '{"a":"axbb"}', false],
    ['lets anything-but match a value of another type', '{"a":[{"anything-but":1}]}', '{"a":"1"}', true],
    [
      'compares texts under anything-but as texts, not as addresses',
      '{"a":[{"anything-but":"::1"}]}',
      '{"a":"0::1"}',
      true,
    ],
  ])('%s', (_, pattern, event, expected) => {
    expect(compilePattern(pattern).matches(event)).toBe(expected);
  });

  it.each([
    ['a pattern that is not an object', '[]', 'Filter is not an object'],
    ['a pattern that is not JSON', '{"a":[1}', /^Not valid JSON: /],
    ['an unknown comparison', '{"a":[{"like":"x"}]}', 'Unrecognized match type like'],
    ['a comparison as a field inside $or', '{"$or":[{"prefix":["a"]},{"b":[1]}]}', /reserved fieldName/],
    ['a wildcard with a stray backslash', '{"a":[{"wildcard":"a\\\\b"}]}', 'Invalid escape character at pos 1'],
    ['a mask that is too long', '{"a":[{"cidr":"10.0.0.0/32"}]}', 'Mask bits must be < 32'],
    ['a name in place of an address', '{"a":[{"cidr":"localhost/8"}]}', 'Nonstandard IP address: localhost'],
  ])('returns the fault of %s', (_, pattern, message) => {
    expect(() => compilePattern(pattern)).toThrow(message);
  });

  it('throws for an event that is not an object', () => {
    expect(() => compilePattern('{"a":[1]}').matches('[]')).toThrow(TypeError);
  });
});
