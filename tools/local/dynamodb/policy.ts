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

/** What a role may do to DynamoDB. */
export interface Policy {
  /** The part of a call that is not allowed, if there is one. */
  refuses(parts: readonly KeyedPart[]): KeyedPart | undefined;
}

function listed<Element>(value: Element | readonly Element[] | undefined): readonly Element[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value as Element];
}

/** IAM's wildcards: `*` for any text, `?` for any one character. */
function isLike(text: string, pattern: string): boolean {
  const escaped = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${escaped}$`, 's').test(text);
}

const comparisons: Readonly<Record<string, (key: string, pattern: string) => boolean>> = {
  'ForAllValues:StringLike': isLike,
  'ForAllValues:StringEquals': (key, wanted) => key === wanted,
};

interface Allowance {
  readonly effect: string;
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly keyHolds: (partition: string | undefined) => boolean;
}

/** @throws Error for a condition that could not be honoured */
function keyCondition({ Condition = {} }: Statement): Allowance['keyHolds'] {
  const tests = Object.entries(Condition).flatMap(([operator, keys]) =>
    Object.entries(keys).map(([key, patterns]) => {
      const compare = comparisons[operator];
      if (!compare || key !== 'dynamodb:LeadingKeys') {
        throw new Error(`the IAM condition ${operator} on ${key} cannot be enforced on the local platform`);
      }
      return (partition: string) => listed(patterns).some((pattern) => compare(partition, pattern));
    }),
  );
  // ForAllValues also holds where there is no value, as on AWS: a scan has no leading keys.
  return (partition) => partition === undefined || tests.every((test) => test(partition));
}

function allowances(document: PolicyDocument): Allowance[] {
  return listed(document.Statement)
    .filter(({ Action }) => listed(Action).some((action) => /^(dynamodb:|\*)/i.test(action)))
    .map((statement) => ({
      effect: statement.Effect,
      actions: listed(statement.Action),
      resources: listed(statement.Resource),
      keyHolds: keyCondition(statement),
    }));
}

function covers({ actions, resources, keyHolds }: Allowance, part: KeyedPart, arn: string): boolean {
  const action = `dynamodb:${part.action}`.toLowerCase();
  return (
    actions.some((pattern) => isLike(action, pattern.toLowerCase())) &&
    resources.some((pattern) => isLike(arn, pattern)) &&
    keyHolds(part.partition)
  );
}

function documentsOf(role: Resource, resources: Resources): PolicyDocument[] {
  const { Policies = [] } = role.properties<{ Policies?: { PolicyDocument: PolicyDocument }[] }>();
  const attached = resources
    .ofType('AWS::IAM::Policy')
    .map((policy) => policy.properties<{ Roles?: string[]; PolicyDocument: PolicyDocument }>())
    .filter(({ Roles = [] }) => Roles.includes(role.ref));
  return [...Policies, ...attached].map(({ PolicyDocument }) => PolicyDocument);
}

/**
 * The policy of the role with this ARN, as the template grants it.
 * @param tableArns ARN of each table by its name
 */
export function rolePolicy(roleArn: string, resources: Resources, tableArns: ReadonlyMap<string, string>): Policy {
  const role = resources.ofType('AWS::IAM::Role').find((candidate) => candidate.attribute('Arn') === roleArn);
  if (!role) throw new Error(`no role ${roleArn} in the template`);
  const all = documentsOf(role, resources).flatMap(allowances);
  const allows = (part: KeyedPart): boolean => {
    const table = tableArns.get(part.table) ?? part.table;
    const arn = part.index ? `${table}/index/${part.index}` : table;
    const covering = all.filter((allowance) => covers(allowance, part, arn));
    return covering.some(({ effect }) => effect === 'Allow') && !covering.some(({ effect }) => effect === 'Deny');
  };
  return { refuses: (parts) => parts.find((part) => !allows(part)) };
}
