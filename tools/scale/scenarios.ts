import { scaleGoals } from '../../shared/contracts/promises.ts';
import { type Ceiling, ceilingsAt, needsDesign, type PlatformLoad } from './model.ts';

/** In every scenario, a campaign has two limits, and both count for each member. */
const memberLimits = 2;

/**
 * The loads that the tables of docs/architecture/scale.md compare. With fewer merchants or partners, the same load
 * falls on fewer keys of the table, so the limit of one key is reached earlier.
 */
export const scenarios: readonly PlatformLoad[] = [
  { perSecond: 10, merchants: 1, partners: 1, memberLimits },
  { perSecond: 100, merchants: 1, partners: 1, memberLimits },
  { perSecond: 1_000, merchants: 1, partners: 1, memberLimits },
  { perSecond: 10_000, merchants: 1, partners: 1, memberLimits },
  { perSecond: 10, merchants: 1_000, partners: 100, memberLimits },
  { perSecond: 100, merchants: 1_000, partners: 100, memberLimits },
  { perSecond: 1_000, merchants: 1_000, partners: 100, memberLimits },
  { perSecond: 10_000, merchants: 1_000, partners: 100, memberLimits },
  { perSecond: 10_000, merchants: 100, partners: 100, memberLimits },
  { perSecond: 10_000, merchants: 100, partners: 1, memberLimits },
];

/** The loads that the platform shall carry without a redesign. */
export const goals: readonly PlatformLoad[] = scaleGoals.loads.map((load) => ({ ...load, memberLimits }));

/** The limits that are too low for a load, the tightest first. */
export const metAt = (load: PlatformLoad): Ceiling[] => ceilingsAt(load).filter(({ headroom }) => headroom < 1);

/** The limits that make a load impossible until the code changes. */
export const blockersAt = (load: PlatformLoad): Ceiling[] => metAt(load).filter(needsDesign);

/**
 * Whether a limit is the initial value of a new account or table. Such a limit is raised once, before the load comes.
 */
export const isStart = ({ remedy }: Ceiling): boolean => remedy.kind === 'quota' && remedy.quota.raise === 'start';

/** One line for each goal that has blockers other than the known ones. */
export function brokenGoals(knownBlockers: readonly string[] = scaleGoals.knownBlockers): string[] {
  const known = new Set(knownBlockers);
  return goals.flatMap((load) => {
    const names = blockersAt(load).map(({ name }) => name);
    const added = names.filter((name) => !known.has(name));
    const gone = [...known].filter((name) => !names.includes(name));
    return [
      ...added.map((name) => `${titleOf(load)}: needs other code for ${name}`),
      ...gone.map((name) => `${titleOf(load)}: ${name} blocks no longer; remove it from knownBlockers`),
    ];
  });
}

/** A load in words, such as "1,000 a second, 1 merchant, 1 partner". */
export function titleOf({ perSecond, merchants, partners }: PlatformLoad): string {
  const many = (count: number, noun: string) => `${inWords(count)} ${noun}${count === 1 ? '' : 's'}`;
  return `${inWords(perSecond)} a second, ${many(merchants, 'merchant')}, ${many(partners, 'partner')}`;
}

/** A limit has to be raised if it is lower than this many times the load. */
export const margin = 1.5;

/** Says how to raise a limit, and to which value. */
export function remedyText({ remedy, demand, capacity }: Ceiling): string {
  const { hint } = remedy;
  const also = hint === undefined ? '' : `; ${hint}`;
  if (remedy.kind === 'design') return `other code: ${hint}`;
  const factor = (margin * demand) / capacity;
  if (remedy.kind === 'setting') return `${remedy.setting.name} × ${headroomText(factor)}${also}`;
  const { quota } = remedy;
  const code = 'code' in quota ? ` (${quota.code})` : '';
  return `${quota.name}${code}: ${inWords(roundUp(quota.value * factor))}${also}`;
}

/** Rounds up to two digits. */
function roundUp(figure: number): number {
  const digit = 10 ** Math.max(0, Math.floor(Math.log10(figure)) - 1);
  return Math.ceil(figure / digit) * digit;
}

/** A figure with at most one digit after the point, in groups of three digits. */
export const inWords = (figure: number): string => figure.toLocaleString('en', { maximumFractionDigits: 1 });

/** Formats headroom with its significant digits. */
export const headroomText = (headroom: number): string =>
  headroom < 10 ? headroom.toPrecision(2) : Math.round(headroom).toLocaleString('en');
