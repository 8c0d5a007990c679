import type { AnyContract } from '../../../shared/contracts/contract.ts';
import { fc } from '../../support/fast-check.ts';
import { hostileBodies, hostileHeaders, hostileTexts, hostileTypes, hostileValues, jsonText } from './hostile.ts';
import { arbitraryOf, type Known } from './schema-arbitrary.ts';

/** A request in the gateway's event format. */
export interface FuzzedRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly isBase64Encoded: boolean;
}

/** Building blocks of requests: valid credentials and existing ids. */
export interface Material {
  readonly proof: fc.Arbitrary<Readonly<Record<string, string>>>;
  readonly known: Known;
}

/** Texts of URLs and headers, which never contain half a surrogate pair. */
const texts = fc.oneof(hostileTexts, fc.string({ unit: 'binary', maxLength: 30 })).map((text) => text.toWellFormed());

/** Requests to an endpoint: valid, nearly valid and invalid. */
export function requestsTo(contract: AnyContract, { proof, known }: Material): fc.Arbitrary<FuzzedRequest> {
  return fc
    .record({
      params: paramsOf(contract, known),
      query: queryOf(contract, known),
      proof,
      type: mostly(fc.constant(typeOf(contract)), hostileTypes, 12),
      extra: mostly(fc.constant({}), hostileHeaders, 4),
      body: bodyOf(contract, known),
      encoding: fc.oneof({ weight: 10, arbitrary: fc.constant('plain') }, fc.constantFrom('base64', 'lies')),
    })
    .map(({ params, query, proof, type, extra, body, encoding }) => ({
      params,
      query,
      headers: { ...extra, ...proof, ...(body !== null && { 'Content-Type': type }) },
      body: body !== null && encoding === 'base64' ? Buffer.from(body).toString('base64') : body,
      isBase64Encoded: encoding !== 'plain',
    }));
}

const mostly = <Value>(good: fc.Arbitrary<Value>, other: fc.Arbitrary<Value>, weight: number) =>
  fc.oneof({ weight, arbitrary: good }, { weight: 1, arbitrary: other });

const typeOf = ({ bodyType }: AnyContract) =>
  bodyType === 'form' ? 'application/x-www-form-urlencoded' : 'application/json';

function paramsOf({ path }: AnyContract, known: Known): fc.Arbitrary<Record<string, string>> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const param = (name: string) => mostly((known(name) ?? texts).map(String), texts, name === 'connect_token' ? 9 : 1);
  return fc.record(Object.fromEntries(names.map((name) => [name, param(name)])));
}

function queryOf({ query }: AnyContract, known: Known): fc.Arbitrary<Record<string, string>> {
  const strange = fc.dictionary(fc.oneof(texts, fc.constantFrom('limit', 'cursor', 'campaign_types')), texts, {
    maxKeys: 3,
  });
  if (!query) return mostly(fc.constant({}), strange, 4);
  const regular = arbitraryOf(query, known).map((value) =>
    Object.fromEntries(Object.entries(value as object).map(([name, text]) => [name, String(text).toWellFormed()])),
  );
  return fc.oneof(
    regular,
    fc.tuple(regular, strange).map(([one, other]) => ({ ...one, ...other })),
    strange,
  );
}

function bodyOf(contract: AnyContract, known: Known): fc.Arbitrary<string | null> {
  const write = contract.bodyType === 'form' ? formText : jsonText;
  if (!contract.body) return mostly(fc.constant(null), hostileBodies, 4);
  const regular = arbitraryOf(contract.body, known);
  return fc.oneof(
    { weight: 3, arbitrary: regular.map(write) },
    { weight: 4, arbitrary: spoilt(regular).map(write) },
    { weight: 1, arbitrary: regular.map((value) => twice(write(value))) },
    { weight: 1, arbitrary: hostileValues.map(write) },
    { weight: 1, arbitrary: fc.oneof(hostileBodies, fc.constant(null)) },
  );
}

/** A valid body in which one or two fields are replaced, removed or added. */
function spoilt(bodies: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const faults = fc.array(fc.tuple(fc.nat(), hostileValues, fc.constantFrom('replace', 'drop', 'inside', 'add')), {
    minLength: 1,
    maxLength: 2,
  });
  return fc
    .tuple(bodies, faults)
    .map(([body, all]) => all.reduce<unknown>((value, fault) => spoil(value, fault), body));
}

function spoil(value: unknown, [place, hostile, how]: readonly [number, unknown, string]): unknown {
  const entries = Object.entries(Object(value));
  const [name, inner] = entries[place % Math.max(1, entries.length)] ?? ['field', undefined];
  switch (how) {
    case 'drop':
      return { ...Object(value), [name]: undefined };
    case 'add':
      return { ...Object(value), [typeof hostile === 'string' ? hostile : 'more']: hostile };
    case 'inside':
      if (typeof inner === 'object' && inner !== null) {
        return { ...Object(value), [name]: spoil(inner, [place + 1, hostile, 'replace']) };
      }
      return { ...Object(value), [name]: hostile };
    default:
      return { ...Object(value), [name]: hostile };
  }
}

/** The object with every field repeated. Parsers differ in the result. */
const twice = (text: string) => (text.startsWith('{') ? `{${text.slice(1, -1)},${text.slice(1)}` : `${text}&${text}`);

function formText(value: unknown): string {
  const fields = Object.entries(Object(value)).map(([name, inner]): [string, string] => [name, formValue(inner)]);
  return new URLSearchParams(fields).toString();
}

function formValue(value: unknown): string {
  return typeof value === 'object' ? jsonText(value) : String(value);
}
