import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  indexPartitions,
  type Partition,
  partitions,
  type TableAccess,
  type TableAction,
  type TableIndex,
} from '../../shared/contracts/table.ts';
import type { Platform } from './platform.ts';

/** An access to the table in which every partition's actions are those of all given accesses. */
export function joinAccess(...accesses: readonly TableAccess[]): TableAccess {
  const table: Partial<Record<Partition, TableAction[]>> = {};
  for (const [partition, actions] of accesses.flatMap((access) => entries(access.table))) {
    table[partition] = [...new Set([...(table[partition] ?? []), ...actions])].sort();
  }

  return { table, indexes: [...new Set(accesses.flatMap((access) => access.indexes ?? []))] };
}

/**
 * The policy of an access: these actions on the items of these partitions, these indexes, nothing else.
 * DynamoDB compares the partition key of every item that a call touches, also within a transaction.
 */
export function tableStatements(platform: Platform, access: TableAccess): PolicyStatement[] {
  const { tableArn } = platform.table;
  const statements = [
    ...partitionsByActions(access).map(([actions, prefixes]) => itemStatement(tableArn, actions, prefixes)),
    ...(access.indexes ?? []).map((index) => indexStatement(tableArn, index)),
  ];

  return statements.length > 0 ? [...statements, keyStatement(platform, access)] : [];
}

function entries(table: TableAccess['table']): [Partition, readonly TableAction[]][] {
  return Object.entries(table) as [Partition, readonly TableAction[]][];
}

/** One statement per set of actions, not per partition: a role's policies may have 10 KB in all. */
function partitionsByActions({ table }: TableAccess): [TableAction[], string[]][] {
  const prefixesByActions = Map.groupBy(entries(table), ([, actions]) => actions.toSorted().join());

  return [...prefixesByActions].map(([actions, group]) => [
    actions.split(',') as TableAction[],
    group.map(([partition]) => partitions[partition]),
  ]);
}

function itemStatement(tableArn: string, actions: readonly TableAction[], prefixes: readonly string[]) {
  return new PolicyStatement({
    actions: actions.map((action) => `dynamodb:${action}`),
    resources: [tableArn],
    conditions: leadingKeys(prefixes),
  });
}

function indexStatement(tableArn: string, index: TableIndex) {
  return new PolicyStatement({
    actions: ['dynamodb:Query'],
    resources: [`${tableArn}/index/${index}`],
    conditions: leadingKeys([indexPartitions[index]]),
  });
}

function leadingKeys(prefixes: readonly string[]) {
  return { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': prefixes.map((prefix) => `${prefix}*`) } };
}

const readActions = new Set<TableAction>(['GetItem', 'BatchGetItem', 'Query', 'ConditionCheckItem']);

/** DynamoDB uses the table's key in the name of whoever calls it, and only DynamoDB may. */
function keyStatement({ table, tableKey }: Platform, access: TableAccess) {
  const writes = entries(access.table).some(([, actions]) => actions.some((action) => !readActions.has(action)));
  const write = ['kms:Encrypt', 'kms:GenerateDataKey', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'];

  return new PolicyStatement({
    actions: ['kms:Decrypt', 'kms:DescribeKey', ...(writes ? write : [])],
    resources: [tableKey.keyArn],
    conditions: { StringEquals: { 'kms:ViaService': `dynamodb.${Stack.of(table).region}.amazonaws.com` } },
  });
}
