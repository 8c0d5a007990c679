import { stageNames, stageSettings } from '../../../infra/stages.ts';
import { costPromises } from '../../../shared/contracts/promises.ts';
import { type MovementRule, movementTable, transactionKinds } from '../../../shared/domain/ledger/movement-table.ts';
import { code, table } from './tables.ts';

/** Sections about declared values: settings of stages, promised costs, and movements of transitions. */

export function stageTable(): string[] {
  const stages = stageNames.map((name) => new Map(leavesOf(stageSettings(name))));
  const settings = new Set(stages.flatMap((stage) => [...stage.keys()]));
  settings.delete('name');
  return table(
    ['setting', ...stageNames],
    [...settings].map((setting) => [code(setting), ...stages.map((stage) => stage.get(setting) ?? '')]),
  );
}

/** The leaves of nested settings, each by its path. */
function leavesOf(settings: object, path: readonly string[] = []): [string, string][] {
  return Object.entries(settings).flatMap(([name, value]): [string, string][] => {
    const here = [...path, name];
    if (Array.isArray(value)) return [[here.join('.'), value.join(', ') || 'none']];
    return typeof value === 'object' && value !== null ? leavesOf(value, here) : [[here.join('.'), String(value)]];
  });
}

export function costTable(): string[] {
  const rows = Object.entries(costPromises).map(([endpoint, promise]) => [
    endpoint,
    ...[promise.coldRoundTrips, promise.warmRoundTrips, promise.readUnits, promise.writeUnits].map((most) =>
      String(most ?? ''),
    ),
  ]);
  return table(['endpoint', 'round trips, cold', 'round trips, warm', 'read units', 'write units'], rows);
}

const columns = ['available', 'held', 'restored', 'owed', 'earned', 'redeemed', 'cashback', 'limits'] as const;

/** The movements of each transition of a reward transaction, by the kind of the transaction. */
export function postingTable(): string[] {
  const rows = Object.entries(movementTable).flatMap(([transition, { to, ...byKind }]) => {
    const rules = new Map<string, MovementRule>(Object.entries(byKind));
    return transactionKinds.flatMap((kind) => {
      const rule = rules.get(kind);
      return rule ? [[transition, to, kind, ...columns.map((column) => rule[column] ?? ''), ledgerText(rule)]] : [];
    });
  });
  return table(['transition', 'state', 'kind', ...columns, 'ledger entries'], rows);
}

function ledgerText({ ledger = {} }: MovementRule): string {
  return Object.entries(ledger)
    .map(([kind, amount]) => `${kind} ${amount}`)
    .join(', ');
}
