import type { Resource, Resources } from '../template/resources.ts';
import type { KeyedPart } from './keys.ts';

type OneOrMore = string | readonly string[];

interface Statement {
  readonly Effect: string;
  readonly Action?: OneOrMore;
  readonly Resource?: OneOrMore;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, OneOrMore>>>>;
}

interface PolicyDocument {
  readonly Statement: Statement | readonly Statement[];
}

/** The DynamoDB permissions of a role. */
export interface Policy {
  /** Returns the first part of a request that is not allowed, or undefined when all parts are allowed. */
  findDenied(parts: readonly KeyedPart[]): KeyedPart | undefined;
}

function toList<Element>(value: Element | readonly Element[] | undefined): readonly Element[] {
  const empty: readonly Element[] = [];
  return value === undefined ? empty : empty.concat(value);
}

/** Matches IAM's wildcards: `*` for any text, `?` for any one character. */
function matchesWildcards(text: string, pattern: string): boolean {
  const escaped = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${escaped}$`, 's').test(text);
}

const comparisons: Readonly<Record<string, (key: string, pattern: string) => boolean>> = {
  'ForAllValues:StringLike': matchesWildcards,
  'ForAllValues:StringEquals': (key, wanted) => key === wanted,
};

/**
 * Condition keys that the proxy ignores. They limit the attributes that a scan may return, but the proxy does not know
 * the attributes of a call.
 */
const unchecked: ReadonlySet<string> = new Set(['dynamodb:Attributes', 'dynamodb:Select']);

interface Grant {
  readonly effect: string;
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly keyHolds: (partition: string | undefined) => boolean;
}

/** @throws Error when the statement has a condition that the proxy cannot check */
function readKeyCondition({ Condition = {} }: Statement): Grant['keyHolds'] {
  const tests = Object.entries(Condition).flatMap(([operator, keys]) =>
    Object.entries(keys).flatMap(([key, patterns]) => {
      if (unchecked.has(key)) return [];
      const compare = comparisons[operator];
      if (!compare || key !== 'dynamodb:LeadingKeys') {
        throw new Error(`the IAM condition ${operator} on ${key} cannot be enforced on the local platform`);
      }
      return (partition: string) => toList(patterns).some((pattern) => compare(partition, pattern));
    }),
  );
  // As on AWS, ForAllValues holds for a request without keys, such as a scan.
  return (partition) => partition === undefined || tests.every((test) => test(partition));
}

function readGrants(document: PolicyDocument): Grant[] {
  return toList(document.Statement)
    .filter(({ Action }) => toList(Action).some((action) => /^(dynamodb:|\*)/i.test(action)))
    .map((statement) => ({
      effect: statement.Effect,
      actions: toList(statement.Action),
      resources: toList(statement.Resource),
      keyHolds: readKeyCondition(statement),
    }));
}

function covers({ actions, resources, keyHolds }: Grant, part: KeyedPart, arn: string): boolean {
  const action = `dynamodb:${part.action}`.toLowerCase();
  return (
    actions.some((pattern) => matchesWildcards(action, pattern.toLowerCase())) &&
    resources.some((pattern) => matchesWildcards(arn, pattern)) &&
    keyHolds(part.partition)
  );
}

function findDocuments(role: Resource, resources: Resources): PolicyDocument[] {
  const { Policies = [] } = role.properties<{ Policies?: { PolicyDocument: PolicyDocument }[] }>();
  const attached = resources
    .ofType('AWS::IAM::Policy')
    .map((policy) => policy.properties<{ Roles?: string[]; PolicyDocument: PolicyDocument }>())
    .filter(({ Roles = [] }) => Roles.includes(role.ref));
  return [...Policies, ...attached].map(({ PolicyDocument }) => PolicyDocument);
}

/**
 * Reads the policy of a role from the template.
 * @param tableArns the ARNs of the tables; the keys are the names of the tables
 * @throws Error when the template has no role with this ARN
 */
export function readRolePolicy(roleArn: string, resources: Resources, tableArns: ReadonlyMap<string, string>): Policy {
  const role = resources.ofType('AWS::IAM::Role').find((candidate) => candidate.attribute('Arn') === roleArn);
  if (!role) throw new Error(`no role ${roleArn} in the template`);
  const all = findDocuments(role, resources).flatMap(readGrants);
  const allows = (part: KeyedPart): boolean => {
    const table = tableArns.get(part.table) ?? part.table;
    const arn = part.index ? `${table}/index/${part.index}` : table;
    const covering = all.filter((grant) => covers(grant, part, arn));
    return covering.some(({ effect }) => effect === 'Allow') && !covering.some(({ effect }) => effect === 'Deny');
  };
  return { findDenied: (parts) => parts.find((part) => !allows(part)) };
}
