import type { Json, JsonObject } from './assembly.ts';

/** The value of a `Ref` to `AWS::NoValue`. The property or element that contains it is left out. */
export const noValue = Symbol('AWS::NoValue');

type Resolve = (value: Json) => unknown;

/** The facts of a stack that intrinsic functions use. */
export interface Scope {
  resolveRef(name: string): unknown;
  attribute(logicalId: string, attribute: string): string;
  importValue(exportName: string): unknown;
}

type Intrinsic = (argument: Json, resolve: Resolve, scope: Scope) => unknown;

function requireList(value: Json | undefined): Json[] {
  if (!Array.isArray(value)) throw new Error(`an intrinsic function needs a list, not ${JSON.stringify(value)}`);
  return value;
}

function argumentAt(value: Json, index: number): Json {
  const element = requireList(value)[index];
  if (element === undefined) {
    throw new Error(`an intrinsic function lacks argument ${index + 1}: ${JSON.stringify(value)}`);
  }
  return element;
}

function requireObject(value: Json): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`an intrinsic function needs an object, not ${JSON.stringify(value)}`);
  }
  return value;
}

function resolveList(value: Json, resolve: Resolve): readonly unknown[] {
  const list = resolve(value);
  if (!Array.isArray(list)) throw new Error(`an intrinsic function needs a list, not ${JSON.stringify(list)}`);
  return list;
}

function resolveGetAtt(argument: Json, resolve: Resolve, scope: Scope): string {
  const [logicalId, ...attribute] =
    typeof argument === 'string' ? argument.split('.') : requireList(argument).map(resolve);
  return scope.attribute(String(logicalId), attribute.join('.'));
}

function resolveSub(argument: Json, resolve: Resolve, scope: Scope): string {
  const text = typeof argument === 'string' ? argument : String(argumentAt(argument, 0));
  const variables = typeof argument === 'string' ? {} : requireObject(argumentAt(argument, 1));
  return text.replace(/\$\{(!?)([^}]+)\}/g, (_whole, escaped: string, name: string) => {
    if (escaped) return `\${${name}}`;
    const variable = variables[name];
    if (variable !== undefined) return String(resolve(variable));
    return String(name.includes('.') ? resolveGetAtt(name, resolve, scope) : scope.resolveRef(name));
  });
}

function resolveJoin(argument: Json, resolve: Resolve): string {
  return resolveList(argumentAt(argument, 1), resolve)
    .map(String)
    .join(String(argumentAt(argument, 0)));
}

/** The supported intrinsic functions. Any other function stops the start. */
const intrinsics: Record<string, Intrinsic> = {
  Ref: (argument, _resolve, scope) => scope.resolveRef(String(argument)),
  'Fn::GetAtt': resolveGetAtt,
  'Fn::Sub': resolveSub,
  'Fn::Join': resolveJoin,
  'Fn::Select': (argument, resolve) =>
    resolveList(argumentAt(argument, 1), resolve)[Number(resolve(argumentAt(argument, 0)))],
  'Fn::Split': (argument, resolve) => String(resolve(argumentAt(argument, 1))).split(String(argumentAt(argument, 0))),
  'Fn::ImportValue': (argument, resolve, scope) => scope.importValue(String(resolve(argument))),
};

/** Returns the intrinsic function and its argument, if the object's only key names one. */
function findIntrinsic(value: JsonObject): [string, Json] | undefined {
  const [entry, ...others] = Object.entries(value);
  if (entry === undefined || others.length > 0 || entry[1] === undefined) return undefined;
  const [name, argument] = entry;
  return name === 'Ref' || name.startsWith('Fn::') ? [name, argument] : undefined;
}

/** Evaluates every intrinsic function in a value of the template. */
export function evaluate(value: Json, scope: Scope): unknown {
  const resolve: Resolve = (part) => evaluate(part, scope);
  if (Array.isArray(value)) return value.map(resolve).filter((element) => element !== noValue);
  if (typeof value !== 'object' || value === null) return value;

  const call = findIntrinsic(value);
  if (call === undefined) {
    const entries = Object.entries(value).map(([name, part]) => [name, resolve(part ?? null)] as const);
    return Object.fromEntries(entries.filter(([, part]) => part !== noValue));
  }
  const [name, argument] = call;
  const intrinsic = intrinsics[name];
  if (intrinsic === undefined) throw new Error(`the local platform does not support the intrinsic function ${name}`);
  return intrinsic(argument, resolve, scope);
}
