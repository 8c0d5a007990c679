import type { Json, Resource, Synthesized } from './synthesized.ts';

export interface Statement {
  readonly actions: readonly string[];
  readonly resources: readonly Json[];
  readonly condition: Readonly<Record<string, Record<string, Json>>>;
}

interface RawStatement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource?: Json;
  readonly Condition?: Statement['condition'];
}

interface RawPolicy {
  readonly PolicyDocument: { readonly Statement: readonly RawStatement[] };
}

const listOf = <Item>(value: Item | readonly Item[]): readonly Item[] =>
  Array.isArray(value) ? (value as readonly Item[]) : [value as Item];

function statement({ Action, Resource: resource, Condition = {} }: RawStatement): Statement {
  return { actions: listOf(Action), resources: listOf(resource ?? []), condition: Condition };
}

/** The statements of a role. */
export function statementsOf(role: Resource): Statement[] {
  const policies = (role.Properties.Policies ?? []) as unknown as readonly RawPolicy[];
  return policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement.map(statement));
}

/** The statements of all roles and policies. */
export function allStatements({ ofType }: Synthesized): Statement[] {
  const separate = ofType('AWS::IAM::Policy').map(({ Properties }) => Properties as unknown as RawPolicy);
  return [
    ...ofType('AWS::IAM::Role').flatMap(statementsOf),
    ...separate.flatMap(({ PolicyDocument }) => PolicyDocument.Statement.map(statement)),
  ];
}

/** The prefixes of partition keys to which a statement is limited. */
export function leadingKeys({ condition }: Statement): readonly string[] {
  return listOf((condition['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] ?? []) as string | string[]);
}
