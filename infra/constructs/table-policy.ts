import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  indexPartitions,
  isPartition,
  type Partition,
  partitions,
  type TableAccess,
  type TableAction,
  type TableIndex,
} from '../../shared/contracts/table.ts';
import type { Platform } from './platform.ts';

/** Joins accesses: an action on a partition is allowed if one of the accesses allows it. */
export function joinAccess(...accesses: readonly TableAccess[]): TableAccess {
  const table: Partial<Record<Partition, TableAction[]>> = {};
  for (const [partition, actions] of accesses.flatMap((access) => entries(access.table))) {
    table[partition] = [...new Set([...(table[partition] ?? []), ...actions])].sort();
  }

  return { table, indexes: [...new Set(accesses.flatMap((access) => access.indexes ?? []))] };
}

/**
 * The policy of an access: it allows the declared actions on the declared partitions and indexes, and nothing else.
 * DynamoDB checks the partition key of every item in a call, even inside a DynamoDB transaction.
 */
export function tableStatements(platform: Platform, access: TableAccess): PolicyStatement[] {
  const { tableArn } = platform.table;
  const statements = [
    ...partitionsByActions(access).map(([actions, prefixes]) => itemStatement(tableArn, actions, prefixes)),
    ...(access.indexes ?? []).map((index) => indexStatement(tableArn, index)),
    ...(access.scans ? [scanStatement(tableArn, access.scans)] : []),
  ];

  if (statements.length === 0) return [];
  const writes = entries(access.table).some(([, actions]) => actions.some((action) => !readActions.has(action)));
  return [...statements, keyStatement(platform, { writes })];
}

function entries(table: TableAccess['table']): [Partition, readonly TableAction[]][] {
  return Object.keys(table)
    .filter(isPartition)
    .map((partition) => [partition, table[partition] ?? []]);
}

/** Joins partitions with the same actions into one statement, because the policies of a role are limited to 10 KB. */
function partitionsByActions({ table }: TableAccess): [TableAction[], string[]][] {
  const prefixesByActions = Map.groupBy(entries(table), ([, actions]) => actions.toSorted().join());

  return [...prefixesByActions.values()].map((group) => [
    [...new Set(group.flatMap(([, actions]) => actions))].sort(),
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

/** IAM cannot limit a scan to partitions. So the policy limits the attributes that the scan may return or filter by. */
function scanStatement(tableArn: string, attributes: readonly string[]) {
  return new PolicyStatement({
    actions: ['dynamodb:Scan'],
    resources: [tableArn],
    conditions: {
      'ForAllValues:StringEquals': { 'dynamodb:Attributes': [...attributes] },
      StringEquals: { 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' },
    },
  });
}

function leadingKeys(prefixes: readonly string[]) {
  return { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': prefixes.map((prefix) => `${prefix}*`) } };
}

const readActions = new Set<TableAction>(['GetItem', 'BatchGetItem', 'Query', 'ConditionCheckItem']);

/** The permission to use the table's encryption key. It holds only for calls that DynamoDB makes for the caller. */
export function keyStatement(
  { table, tableKey: encryptionKey }: Platform,
  { writes }: { readonly writes: boolean },
): PolicyStatement {
  const write = ['kms:Encrypt', 'kms:GenerateDataKey', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'];

  return new PolicyStatement({
    actions: ['kms:Decrypt', 'kms:DescribeKey', ...(writes ? write : [])],
    resources: [encryptionKey.keyArn],
    conditions: { StringEquals: { 'kms:ViaService': `dynamodb.${Stack.of(table).region}.amazonaws.com` } },
  });
}
