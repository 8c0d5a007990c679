import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../../tools/local/eventbridge/pattern/event-pattern.ts';
import { InvalidEventPatternError } from '../../../tools/local/eventbridge/pattern/operator.ts';

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

// Recorded from aws/event-ruler; the texts are given where parsing them would lose something.
const conformance = JSON.parse(
  readFileSync(new URL('../../fixtures/eventbridge-patterns.json', import.meta.url), 'utf8'),
) as Conformance;

describe('event patterns', () => {
  it.each(conformance.cases)('$id $features → $matches', (row) => {
    const pattern = compilePattern(row.pattern_text ?? JSON.stringify(row.pattern));
    expect(pattern.matches(row.event_text ?? JSON.stringify(row.event))).toBe(row.matches);
  });

  it.each(conformance.cases.filter(({ event_text }) => event_text === undefined))(
    '$id $features → $matches, of a parsed event',
    ({ pattern, pattern_text, event, matches }) => {
      expect(compilePattern(pattern_text ?? JSON.stringify(pattern)).matches(event)).toBe(matches);
    },
  );

  it.each(conformance.valid_patterns)('compiles $pattern_text', ({ pattern_text }) => {
    expect(() => compilePattern(pattern_text)).not.toThrow();
  });

  it.each(conformance.invalid_patterns)('refuses $pattern_text', ({ pattern_text }) => {
    expect(() => compilePattern(pattern_text)).toThrow(InvalidEventPatternError);
  });
});

describe('what the recorded cases do not reach', () => {
  it.each([
    ['a parsed event', '{"a":[1]}', { a: 1 }, true],
    ['a name with a dot, which reads like a path', '{"a":{"b":{"c":[1]}}}', { 'a.b': { c: 1 } }, true],
    ['a field that nobody asks for beside it', '{"a":{"b":[1]}}', { a: { bc: 2, b: 1 }, ab: [{}], c: null }, true],
    ['numbers a double cannot hold, by spelling', '{"a":[9007199254740993]}', '{"a":9007199254740992}', false],
    ['the same number in full', '{"a":[9007199254740993]}', '{"a":9007199254740993}', true],
    [
      'two $or in one object, both to hold',
      '{"$or":[{"a":[1]},{"b":[1]}],"$or":[{"c":[1]},{"d":[1]}]}',
      '{"a":1}',
      false,
    ],
    [
      'two $or in one object, both holding',
      '{"$or":[{"a":[1]},{"b":[1]}],"$or":[{"c":[1]},{"d":[1]}]}',
      '{"a":1,"d":1}',
      true,
    ],
    ['parts of one object given twice', '{"a":{"b":[1]},"a":{"c":[1]}}', '{"a":{"c":1}}', false],
    ['an escaped asterisk', '{"a":[{"wildcard":"1\\\\*2"}]}', '{"a":"1*2"}', true],
    ['overlapping ends of a wildcard', '{"a":[{"wildcard":"ab*ba"}]}', '{"a":"aba"}', false],
    ['a wildcard across lines', '{"a":[{"wildcard":"a*c"}]}', '{"a":"a\\nc"}', true],
    ['an address spelled otherwise', '{"a":["2001:db8::1"]}', '{"a":"2001:0db8:0:0:0:0:0:1"}', true],
    ['the end of a block', '{"a":[{"cidr":"10.1.2.0/23"}]}', '{"a":"10.1.3.255"}', true],
    ['past the end of a block', '{"a":[{"cidr":"10.1.2.0/23"}]}', '{"a":"10.1.4.0"}', false],
    ['a v6 block', '{"a":[{"cidr":"2001:db8::/33"}]}', '{"a":"2001:db8:7fff::1"}', true],
    ['a v4 address in a v6 block', '{"a":[{"cidr":"::/0"}]}', '{"a":"10.0.0.1"}', false],
    ['special characters regardless of case', '{"a":[{"equals-ignore-case":"A.B*"}]}', '{"a":"a.b*"}', true],
    ['special characters are not operators', '{"a":[{"equals-ignore-case":"A.B*"}]}', '{"a":"axbb"}', false],
    ['anything-but on another type', '{"a":[{"anything-but":1}]}', '{"a":"1"}', true],
    ['equal texts under anything-but are no address', '{"a":[{"anything-but":"::1"}]}', '{"a":"0::1"}', true],
  ])('%s', (_, pattern, event, expected) => {
    expect(compilePattern(pattern).matches(event)).toBe(expected);
  });

  it.each([
    ['not an object', '[]', 'Filter is not an object'],
    ['not JSON', '{"a":[1}', /^Not valid JSON: /],
    ['an unknown comparison', '{"a":[{"like":"x"}]}', 'Unrecognized match type like'],
    ['a comparison as a field inside $or', '{"$or":[{"prefix":["a"]},{"b":[1]}]}', /reserved fieldName/],
    ['a wildcard with a stray backslash', '{"a":[{"wildcard":"a\\\\b"}]}', 'Invalid escape character at pos 1'],
    ['a mask too long', '{"a":[{"cidr":"10.0.0.0/32"}]}', 'Mask bits must be < 32'],
    ['a name where an address belongs', '{"a":[{"cidr":"localhost/8"}]}', 'Nonstandard IP address: localhost'],
  ])('says why it refuses %s', (_, pattern, message) => {
    expect(() => compilePattern(pattern)).toThrow(message);
  });

  it('refuses an event that is not an object', () => {
    expect(() => compilePattern('{"a":[1]}').matches('[]')).toThrow(TypeError);
  });
});
