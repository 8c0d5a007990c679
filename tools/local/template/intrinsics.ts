import type { Json, JsonObject } from './assembly.ts';

/** What a `Ref` to `AWS::NoValue` becomes: the property or the element is left out. */
export const noValue = Symbol('AWS::NoValue');

export type Resolved = unknown;
type Resolve = (value: Json) => Resolved;

/** What the intrinsic functions ask of the stack that they stand in. */
export interface Scope {
  ref(name: string): Resolved;
  attribute(logicalId: string, attribute: string): string;
  importValue(exportName: string): Resolved;
  stackOutput(stackName: string, outputName: string): Resolved;
  mapping(map: string, top: string, second: string): Resolved;
  condition(name: string): boolean;
}

type Intrinsic = (argument: Json, resolve: Resolve, scope: Scope) => Resolved;

function list(value: Json | undefined): Json[] {
  if (!Array.isArray(value)) throw new Error(`an intrinsic function wants a list, not ${JSON.stringify(value)}`);
  return value;
}

function at(value: Json, index: number): Json {
  const element = list(value)[index];
  if (element === undefined)
    throw new Error(`an intrinsic function misses argument ${index + 1}: ${JSON.stringify(value)}`);
  return element;
}

function getAtt(argument: Json, resolve: Resolve, scope: Scope): string {
  const [logicalId, ...attribute] = typeof argument === 'string' ? argument.split('.') : list(argument).map(resolve);
  return scope.attribute(String(logicalId), attribute.join('.'));
}

function sub(argument: Json, resolve: Resolve, scope: Scope): string {
  const text = typeof argument === 'string' ? argument : String(at(argument, 0));
  const variables = typeof argument === 'string' ? {} : (at(argument, 1) as JsonObject);
  return text.replace(/\$\{(!?)([^}]+)\}/g, (_whole, escaped: string, name: string) => {
    if (escaped) return `\${${name}}`;
    const variable = variables[name];
    if (variable !== undefined) return String(resolve(variable));
    return String(name.includes('.') ? getAtt(name, resolve, scope) : scope.ref(name));
  });
}

function joined(argument: Json, resolve: Resolve): string {
  const parts = resolve(at(argument, 1));
  return (parts as Resolved[]).map(String).join(String(at(argument, 0)));
}

/** Every intrinsic function that a template may use; another one stops the start. */
const intrinsics: Record<string, Intrinsic> = {
  Ref: (argument, _resolve, scope) => scope.ref(String(argument)),
  'Fn::GetAtt': getAtt,
  'Fn::Sub': sub,
  'Fn::Join': joined,
  'Fn::Select': (argument, resolve) => (resolve(at(argument, 1)) as Resolved[])[Number(resolve(at(argument, 0)))],
  'Fn::Split': (argument, resolve) => String(resolve(at(argument, 1))).split(String(at(argument, 0))),
  'Fn::ImportValue': (argument, resolve, scope) => scope.importValue(String(resolve(argument))),
  'Fn::GetStackOutput': (argument, resolve, scope) => {
    const { StackName, OutputName } = argument as JsonObject;
    return scope.stackOutput(String(resolve(StackName ?? '')), String(resolve(OutputName ?? '')));
  },
  'Fn::FindInMap': (argument, resolve, scope) => {
    const [map, top, second] = list(argument).map((part) => String(resolve(part)));
    return scope.mapping(String(map), String(top), String(second));
  },
  'Fn::Base64': (argument, resolve) => Buffer.from(String(resolve(argument))).toString('base64'),
  'Fn::If': (argument, resolve, scope) => resolve(at(argument, scope.condition(String(at(argument, 0))) ? 1 : 2)),
  'Fn::Equals': (argument, resolve) => String(resolve(at(argument, 0))) === String(resolve(at(argument, 1))),
  'Fn::And': (argument, resolve) => list(argument).every((part) => resolve(part) === true),
  'Fn::Or': (argument, resolve) => list(argument).some((part) => resolve(part) === true),
  'Fn::Not': (argument, resolve) => resolve(at(argument, 0)) !== true,
  Condition: (argument, _resolve, scope) => scope.condition(String(argument)),
};

/** The intrinsic function that an object is, if its one key names one. IAM's `Condition` blocks are objects, not names. */
function intrinsicOf(value: JsonObject): [string, Json] | undefined {
  const [entry, ...others] = Object.entries(value);
  if (entry === undefined || others.length > 0 || entry[1] === undefined) return undefined;
  const [name, argument] = entry;
  const looksIntrinsic =
    name === 'Ref' || name.startsWith('Fn::') || (name === 'Condition' && typeof argument === 'string');
  return looksIntrinsic ? [name, argument] : undefined;
}

/** A template's value with every intrinsic function in it evaluated. */
export function evaluate(value: Json, scope: Scope): Resolved {
  const resolve: Resolve = (part) => evaluate(part, scope);
  if (Array.isArray(value)) return value.map(resolve).filter((element) => element !== noValue);
  if (typeof value !== 'object' || value === null) return value;

  const call = intrinsicOf(value);
  if (call === undefined) {
    const entries = Object.entries(value).map(([name, part]) => [name, resolve(part ?? null)] as const);
    return Object.fromEntries(entries.filter(([, part]) => part !== noValue));
  }
  const [name, argument] = call;
  const intrinsic = intrinsics[name];
  if (intrinsic === undefined) throw new Error(`the intrinsic function ${name} is not known to the local platform`);
  return intrinsic(argument, resolve, scope);
}
