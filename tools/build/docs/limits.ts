import { readFileSync } from 'node:fs';
import * as limits from '../../../shared/contracts/limits.ts';
import { code, table } from './markdown.ts';

/** The section about lifetimes, limits and sizes: the values of shared/contracts/limits.ts, each with its comment. */

const source = readFileSync('shared/contracts/limits.ts', 'utf8');

/** A comment and the name that it stands above; only the entries of a group are indented. */
const documented = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n(?:export const )?( *)(\w+)(?: =|:)/g;

/** A row for each limit, and above the limits of a group a row for the group. */
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

/** A value in the unit that its name, or the name of its group, ends in. */
function formatted(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => formatted(name, item)).join(', ');
  const number = Number(value);
  if (name.endsWith('Ms')) return duration(number);
  if (name.endsWith('Bytes') && number % 1024 === 0) return `${number / 1024} KB`;
  return number.toLocaleString('en');
}

const units = [
  ['day', limits.dayMs],
  ['hour', limits.dayMs / 24],
  ['minute', limits.minuteMs],
  ['second', limits.minuteMs / 60],
] as const;

/** A duration in the largest unit that leaves no fraction. */
function duration(milliseconds: number): string {
  const [unit, unitMs] = units.find(([, ms]) => milliseconds > 0 && milliseconds % ms === 0) ?? ['ms', 1];
  const count = milliseconds / unitMs;
  return `${count} ${unit}${count === 1 || unit === 'ms' ? '' : 's'}`;
}
