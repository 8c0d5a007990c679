import type { LimitOutcome } from '../../../shared/domain/campaign/evaluation/decision.ts';
import { count, counted, dollars } from '../cli/text.ts';

/** A limit as it stood, and what it did to the reward. */
export function limitLine(limit: LimitOutcome): string {
  const { limitId, period, used, charge } = limit;
  const counted = period === null ? '' : `; used before: ${count(used)}, by this: ${count(charge)}`;
  return `Limit ${limitId} (${limitText(limit)}${counted}) ${effectText(limit)}.`;
}

function limitText(limit: LimitOutcome): string {
  const bound = limit.bound === 'MINIMUM' ? 'at least' : 'at most';
  return `${bound} ${inUnit(limit, limit.amount)} ${scopeText(limit)}`;
}

function scopeText({ kind, period }: LimitOutcome): string {
  switch (kind) {
    case 'TRANSACTION':
      return 'a transaction';
    case 'USER':
      return period === 'LIFETIME' ? 'a member for ever' : `a member in ${period}`;
  }
}

function inUnit({ unit }: LimitOutcome, amount: number): string {
  switch (unit) {
    case 'EVENTS':
      return counted(count(amount), 'event');
    case 'POINTS':
      return counted(count(amount), 'point');
    case 'DOLLARS':
      return dollars(amount);
  }
}

function effectText({ effect, unit }: LimitOutcome): string {
  switch (effect) {
    case 'NONE':
      return 'changed nothing';
    case 'CAPPED':
      return unit === 'DOLLARS' ? 'let only that much count' : 'left fewer points';
    case 'REFUSED':
      return 'refused the reward';
  }
}
