import { isDeepStrictEqual } from 'node:util';
import {
  bookAttributes,
  indexPartitions,
  type Partition,
  partitions,
  type TableAccess,
} from '../../../shared/contracts/table.ts';
import { leadingKeys, type Statement } from './policy.ts';
import { textOf } from './synthesized.ts';

/** One permission on the table, as text: `dynamodb:GetItem USER#*`, `dynamodb:Query DUE#* /index/due`. */
type Right = string;

/** The permissions of all accesses together. */
export function declaredRights(...accesses: readonly TableAccess[]): Set<Right> {
  return new Set(accesses.flatMap((access) => [...onItems(access), ...onIndexes(access), ...onAttributes(access)]));
}

/** The permissions of statements. A permission without a condition on the partition applies to `everything`. */
export function grantedRights(statements: readonly Statement[]): Set<Right> {
  const onTable = statements.filter(({ resources }) => !/stream/i.test(textOf(resources)));
  return new Set(onTable.flatMap(rightsOf));
}

function onItems({ table }: TableAccess): Right[] {
  return Object.entries(table).flatMap(([partition, actions]) =>
    actions.map((action) => `dynamodb:${action} ${partitions[partition as Partition]}*`),
  );
}

function onIndexes({ indexes = [] }: TableAccess): Right[] {
  return indexes.map((index) => `dynamodb:Query ${indexPartitions[index]}* /index/${index}`);
}

/** The right to read some attributes of all items, and the condition that limits a scan to them. */
const onAttributes = ({ scans }: TableAccess): Right[] =>
  scans ? [`dynamodb:Scan ${[...scans].sort().join(' ')}`] : [];
const limitedTo = (attributes: readonly string[]) => ({
  'ForAllValues:StringEquals': { 'dynamodb:Attributes': attributes },
  StringEquals: { 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' },
});

function rightsOf(statement: Statement): Right[] {
  const index = /\/index\/\w+$/.exec(textOf(statement.resources))?.[0];
  const keys = leadingKeys(statement);
  const unlimited = isDeepStrictEqual(statement.condition, limitedTo(bookAttributes))
    ? [...bookAttributes].sort().join(' ')
    : 'everything';
  const limits = keys.length > 0 ? keys : [unlimited];

  return statement.actions
    .filter((action) => action.startsWith('dynamodb:'))
    .flatMap((action) => limits.map((limit) => (index ? `${action} ${limit} ${index}` : `${action} ${limit}`)));
}
