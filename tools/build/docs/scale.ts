import { scaleAssumptions } from '../../scale/assumptions.ts';
import { type Ceiling, ceilingsAt, dollarsPerMonth } from '../../scale/model.ts';
import { type Quota, quotas, quotasCheckedIn } from '../../scale/quotas.ts';
import {
  blockersAt,
  goals,
  headroomText,
  inWords,
  isStart,
  remedyText,
  scenarios,
  titleOf,
} from '../../scale/scenarios.ts';
import { code, table } from './tables.ts';

/** Sections of docs/architecture/scale.md. */

/** For each load: its cost in dollars, and the limits that it reaches first. */
export function scaleLoadTable(): string[] {
  const rows = scenarios.map((load) => {
    const [first, second] = ceilingsAt(load).filter((one) => !isStart(one));
    return [
      titleOf(load),
      `$${inWords(Math.round(dollarsPerMonth(load)))}`,
      fitText(first),
      fitText(second),
      blockersAt(load)
        .map(({ name }) => name)
        .join('; '),
    ];
  });
  return table(['load', 'a month', 'first', 'next', 'needs other code for'], rows);
}

const fitText = (ceiling: Ceiling | undefined): string =>
  ceiling ? `${ceiling.name}: ${headroomText(ceiling.headroom)}` : '';

/** The table leaves out a limit into which every goal fits more than this many times. */
const shownHeadroom = 6;

/** Shows how many times each goal fits into each limit, and how to raise the limit for the goal that fits least. */
export function scaleLimitTable(): string[] {
  const byGoal = goals.map((load) => new Map(ceilingsAt(load).map((one) => [`${one.part} | ${one.name}`, one])));
  const names = new Set(byGoal.flatMap((ceilings) => [...ceilings.keys()]));
  const rows = [...names].flatMap((name) => {
    const found = byGoal.flatMap((ceilings) => ceilings.get(name) ?? []);
    const tightest = found.toSorted((one, other) => one.headroom - other.headroom)[0];
    if (!tightest || tightest.headroom > shownHeadroom) return [];
    const { part, name: limit } = tightest;
    return [[part, limit, ...found.map(({ headroom }) => headroomText(headroom)), remedyText(tightest)]];
  });
  return table(['part', 'limit', ...goals.map(titleOf), 'raise to, for the tighter one'], rows);
}

const raises = { request: 'on request', start: 'by load or on request', fixed: 'no' } as const;

/** The quotas of AWS, then the assumptions of the model. */
export function quotaTable(): string[] {
  const rows = Object.values<Quota>(quotas).map(({ name, value, unit, raise, code: quotaCode, source }) => [
    name,
    `${inWords(value)} ${unit}`,
    raises[raise],
    quotaCode === undefined ? '' : code(quotaCode),
    `[${source.split('/').slice(-1)[0]}](https://${source}), ${quotasCheckedIn}`,
  ]);
  const assumed = Object.entries(scaleAssumptions).map(([name, value]) => [code(name), String(value)]);
  return [
    ...table(['quota', 'value', 'raised', 'code', 'source'], rows),
    '',
    ...table(['assumption', 'value'], assumed),
  ];
}
