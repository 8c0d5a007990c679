import { consumers } from '../../../functions/consumers.ts';
import { partitions, type TableAccess, type TableAction, tableIndexes } from '../../../shared/contracts/table.ts';
import { endpointName, orderedContracts } from './endpoints.ts';
import { code, table } from './markdown.ts';

/** The section about the table, made from the access that contracts and consumers declare. */

export function isWrite(action: TableAction): boolean {
  return /^(Put|Update|Delete)/.test(action);
}

interface User {
  readonly name: string;
  readonly access: TableAccess;
}

const users: readonly User[] = [
  ...orderedContracts.map((contract) => ({ name: endpointName(contract), access: contract.access })),
  ...consumers,
];

/** The functions that read and that write each partition, and those that query each index. */
export function partitionTable(): string[] {
  const rows = Object.entries(partitions).map(([partition, prefix]) => [
    code(prefix),
    ...[(action: TableAction) => !isWrite(action), isWrite].map((wanted) =>
      namesOf(({ table }) =>
        Object.entries(table).some(([name, actions]) => name === partition && actions.some(wanted)),
      ),
    ),
  ]);
  const indexes = Object.keys(tableIndexes).map((index) => [
    `index ${code(index)}`,
    namesOf((access) => access.indexes?.some((name) => name === index) ?? false),
    '',
  ]);
  return table(['partition', 'read by', 'written by'], [...rows, ...indexes]);
}

function namesOf(wanted: (access: TableAccess) => boolean): string {
  return users.flatMap(({ name, access }) => (wanted(access) ? [name] : [])).join(', ');
}
