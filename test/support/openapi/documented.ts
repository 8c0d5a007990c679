import type { ContractHost } from '../../../shared/contracts/contract.ts';
import type { JsonObject } from '../../../shared/http/openapi/json-schema.ts';
import { documentOf } from './documents.ts';
import { faultsOf, validatorAt } from './schemas.ts';

/** A reply as a client sees it; a JSON body is parsed. */
export interface SeenReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** An operation by its host, method and path with variables. */
export interface Asked {
  readonly host: ContractHost;
  readonly method: string;
  readonly path: string;
}

/** Headers that have a meaning for clients. A reply may have one of them only where the document says so. */
const meaningful = ['idempotent-replayed', 'retry-after', 'www-authenticate', 'location', 'x-ignored-fields'];

/**
 * Compares a reply with the host's OpenAPI document: its status, its headers, its content type and its body.
 *
 * @throws Error that lists the differences
 */
export function expectDocumented({ host, method, path }: Asked, reply: SeenReply): void {
  const name = `${method} ${host}${path} → ${reply.status}`;
  const place = ['paths', path, method.toLowerCase(), 'responses', String(reply.status)];
  const response = place.reduce<unknown>((inner, part) => Object(inner)[part], documentOf(host)) as
    | JsonObject
    | undefined;
  if (!response) throw new Error(`${name}: the status is not documented. ${JSON.stringify(reply.body)}`);
  const headers = lowerCased(reply.headers);
  const problems = [...headerProblems(host, response, headers), ...bodyProblems(host, place, headers, reply.body)];
  if (problems.length > 0) {
    throw new Error(`${name}: not as documented: ${problems.join('; ')}. ${JSON.stringify(reply.body)}`);
  }
}

function lowerCased(headers: SeenReply['headers']): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

type Header = { readonly required?: boolean };

function headerProblems(host: ContractHost, response: JsonObject, seen: Record<string, unknown>): string[] {
  const documented = new Map(
    Object.entries((response.headers ?? {}) as JsonObject).map(([name, header]) => [
      name.toLowerCase(),
      { name, header },
    ]),
  );
  const undocumented = meaningful.filter((name) => name in seen && !documented.has(name));
  const wrong = [...documented].flatMap(([key, { name, header }]) =>
    headerProblem(host, { name, header, value: seen[key] }),
  );
  return [...undocumented.map((name) => `header ${name} is not documented`), ...wrong];
}

function headerProblem(
  host: ContractHost,
  { name, header, value }: { name: string; header: unknown; value: unknown },
): string[] {
  const components = documentOf(host).components.headers as Record<string, Header>;
  const isShared = '$ref' in Object(header);
  const { required = false } = (isShared ? components[name] : header) as Header;
  if (value === undefined) return required ? [`header ${name} is missing`] : [];
  if (!isShared) return [];
  const validate = validatorAt(host, ['components', 'headers', name, 'schema']);
  return validate(value) ? [] : [`header ${name}: ${faultsOf(validate)}`];
}

function bodyProblems(
  host: ContractHost,
  place: readonly string[],
  headers: Record<string, unknown>,
  body: unknown,
): string[] {
  const type = String(headers['content-type'] ?? '').split(';')[0] ?? '';
  const response = place.reduce<unknown>((inner, part) => Object(inner)[part], documentOf(host)) as JsonObject;
  if (!(type in Object(response.content))) return [`content type ${type} is not documented`];
  const validate = validatorAt(host, [...place, 'content', type, 'schema']);
  return validate(body) ? [] : [faultsOf(validate)];
}
