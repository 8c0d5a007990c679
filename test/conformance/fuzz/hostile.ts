import { fc } from '../../support/fast-check.ts';

/** Hostile values for requests. */

/** Marks text that goes into JSON unescaped; see {@link jsonText}. */
const literal = (text: string) => `@@${text}@@`;

/** Serialises a value to JSON and leaves marked literals unescaped. */
export function jsonText(value: unknown): string {
  return (JSON.stringify(value) ?? '').replaceAll(/"@@(.*?)@@"/g, (_, text: string) => text);
}

/** Texts that break quoting, encodings or length limits. */
export const hostileTexts = fc.constantFrom(
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\r\nSet-Cookie: a=b',
  '\u2028',
  '\ud800',
  'x\udfff',
  '\ud800-pair-\ud801',
  '\u202egnirts',
  '\u0130\u0131\ufb01\u1e9e',
  'e\u0301'.repeat(100),
  '\ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67',
  "'; DROP TABLE users; --",
  '{"$gt":""}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression that a logger might evaluate
  '${jndi:ldap://127.0.0.1/x}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '../../../../etc/passwd',
  '%2e%2e%2f',
  '%',
  '%00',
  '#PARTNERSHIP',
  'USER#1#',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'NaN',
  'true',
  '-1',
  '0',
  '00',
  '1e3',
  '0x10',
  '9007199254740993',
  '9'.repeat(400),
  '0190163d-8694-739b-aea5-966c26f8ad91',
  '00000000-0000-0000-0000-000000000000',
  'FFFFFFFF-FFFF-7FFF-BFFF-FFFFFFFFFFFF',
  'x'.repeat(255),
  '\ufffd'.repeat(255),
  '\u{1f600}'.repeat(127),
  'x'.repeat(256),
  'x'.repeat(5_000),
);

/** Numbers at the limits, and literals that are not valid numbers. */
const hostileNumbers = fc.constantFrom<unknown>(
  0,
  -1,
  0.1,
  0.005,
  1e-320,
  2 ** 31,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 53),
  1e21,
  1e126,
  ...['1e999', '-1e999', '-0', 'NaN', 'Infinity', '-Infinity', '01', '1.', '0x1', '9007199254740993'].map(literal),
);

function nested(depth: number, inner: unknown, wrap: (value: unknown) => unknown): unknown {
  let value = inner;
  for (let level = 0; level < depth; level += 1) value = wrap(value);
  return value;
}

const prototypeKeys = fc.constantFrom<object>(
  JSON.parse('{"__proto__":{"isRevoked":false}}'),
  { constructor: { prototype: { polluted: 1 } } },
  { toString: 1, hasOwnProperty: null, valueOf: {} },
  { '': 1, ' ': { '': [] } },
  { length: 2 ** 32, 0: 1 },
);

/** Any hostile value. */
export const hostileValues: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: hostileTexts },
  { weight: 4, arbitrary: hostileNumbers },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], { a: undefined }) },
  { weight: 1, arbitrary: prototypeKeys },
  { weight: 1, arbitrary: fc.constantFrom(9, 10, 11, 50, 1_000).map((depth) => nested(depth, 1, (value) => [value])) },
  { weight: 1, arbitrary: fc.constantFrom(9, 11, 40).map((depth) => nested(depth, {}, (value) => ({ a: value }))) },
  { weight: 1, arbitrary: fc.constantFrom(600, 3_000).map((length) => Array(length).fill(0)) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3, noUnicodeString: false }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
);

/** Bodies that are malformed as text. */
export const hostileBodies: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    '{',
    'null',
    '[]',
    '"text"',
    '1',
    'NaN',
    '{"a":1}}',
    "{'a':1}",
    '{"a":1,}',
    '\ufeff{}',
    '{"\\ud800":"\\udfff"}',
    '{"a":"\u0001"}',
    '['.repeat(20_000),
    `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
    `{"line_items":[${'0,'.repeat(100_000)}0]}`,
    `{"a":"${'x'.repeat(260 * 1024)}"}`,
    '&=&==&%&a[]=1&a[b]=2&__proto__=1',
    'grant_type=client_credentials&grant_type=refresh_token',
    `${'a=1&'.repeat(3_000)}`,
  ),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.json(),
);

const headerNames = fc.constantFrom(
  'X-Api-Key',
  'AUTHORIZATION',
  'Idempotency-Key',
  'idempotency-key',
  'Content-Encoding',
  'Transfer-Encoding',
  'X-Forwarded-Proto',
  'X-Forwarded-For',
  'Host',
  'X-HTTP-Method-Override',
  'X-Request-Id',
  'Accept',
  'Expect',
  'Cookie',
  '__proto__',
  'constructor',
  'x'.repeat(200),
);

const headerValues = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    'gzip',
    'chunked',
    'Basic',
    'Basic Og==',
    'Basic !!!!',
    'Bearer',
    `Bearer ${' '.repeat(2_000)}`,
    'Bearer a b',
    'rwk_local_x',
    'cl\u00e9',
    'k'.repeat(255),
    'k'.repeat(8_000),
    'a\tb',
    'a\r\nb: c',
    'javascript:alert(1)//',
    '"><script>',
    'one, two',
  ),
  fc.string({ maxLength: 30 }),
);

/** Additional headers. Some repeat a required header in another case. */
export const hostileHeaders: fc.Arbitrary<Record<string, string>> = fc.dictionary(headerNames, headerValues, {
  maxKeys: 3,
});

/** Content types that do not match the body, or are spelled unusually. */
export const hostileTypes = fc.constantFrom(
  'application/json; charset=utf-8',
  'APPLICATION/JSON',
  'application/vnd.api+json',
  'application/json, text/plain',
  'application/jsonp',
  'text/plain',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded; charset=klingon',
  '',
  ';',
  'x'.repeat(1_000),
);
