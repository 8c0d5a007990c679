import { readFileSync } from 'node:fs';
import { stageNames, stageSettings } from '../../../infra/stages.ts';
import * as limits from '../../../shared/contracts/limits.ts';
import { costPromises } from '../../../shared/contracts/promises.ts';
import { type MovementRule, movementTable, transactionKinds } from '../../../shared/domain/ledger/movement-table.ts';
import { code, table } from './tables.ts';

/** Sections about declared values: settings of stages, promised costs, movements of transitions, and limits. */

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

const source = readFileSync('shared/contracts/limits.ts', 'utf8');

/** Matches a comment and the name below it. Only the entries of a group are indented. */
const documented = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n(?:export const )?( *)(\w+)(?: =|:)/g;

/** A row for each entry of shared/contracts/limits.ts. The entries of a group follow the row of the group. */
export function limitTable(): string[] {
  const exported = new Map<string, unknown>(Object.entries(limits));
  let group = '';
  const rows = [...source.matchAll(documented)].map(([, comment = '', indent = '', name = '']) => {
    const meaning = comment.replaceAll(/\s*\n\s*\*\s*/g, ' ').trim();
    if (indent !== '') return [code(name), formatted(group, fieldOf(exported.get(group), name)), meaning];
    group = name;
    const value = exported.get(name);
    return isGroup(value) ? [`**${code(name)}**`, '', `**${meaning}**`] : [code(name), formatted(name, value), meaning];
  });
  return table(['limit', 'value', 'meaning'], rows);
}

function isGroup(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fieldOf(group: unknown, name: string): unknown {
  return isGroup(group) ? new Map<string, unknown>(Object.entries(group)).get(name) : undefined;
}

/** Formats a value in its unit. The name of the value, or of its group, ends in the unit. */
function formatted(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => formatted(name, item)).join(', ');
  const number = Number(value);
  if (name.endsWith('Ms')) return limits.duration(number);
  if (name.endsWith('Bytes') && number % 1024 === 0) return `${number / 1024} KB`;
  return number.toLocaleString('en');
}
