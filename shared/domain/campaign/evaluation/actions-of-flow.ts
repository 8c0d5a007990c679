import { type Action, baseRateOf } from '../document/action.ts';
import type { Facts } from '../document/facts.ts';
import type { ActionOutcome } from './decision.ts';
import type { Measure } from './limits-of-flow.ts';
import type { Base } from './rates.ts';
import type { FlowReward } from './reward-of-flow.ts';

/** What the actions of a flow are counted by. */
export function baseOf({ trigger, amountCents, transferPoints }: Facts): Base {
  if (transferPoints !== null) return { kind: 'POINTS', amount: transferPoints };
  return trigger.type === 'SPEND' ? { kind: 'CENTS', amount: amountCents ?? 0 } : { kind: 'EVENT', amount: 1 };
}

/** Points move in multiples of an increment, of which there is at least one. */
export function isMultiple(action: Action, { kind, amount }: Base): boolean {
  return action.kind !== 'TRANSFER_POINTS' || (kind === 'POINTS' && amount > 0 && amount % action.increment === 0);
}

/** Actions as they begin, before it is known what they come to. */
export function actionsAt(actions: readonly Action[], { trigger, transferPoints }: Facts): ActionOutcome[] {
  return actions.map((action) => ({
    actionId: action.id,
    kind: action.kind,
    baseRate: baseRateOf(action, trigger.type === 'SPEND'),
    points: 0,
    cashbackCents: 0,
    cappedFrom: null,
    transfer:
      action.kind === 'TRANSFER_POINTS'
        ? { fromPartnerId: action.fromPartnerId, toPartnerId: action.toPartnerId, points: transferPoints ?? 0 }
        : null,
  }));
}

/** Actions as they come out: worth points or, where they award money, cents. */
export function worthOf(actions: readonly ActionOutcome[], { whole, capped }: FlowReward): ActionOutcome[] {
  return actions.map((action, position) => {
    const [full, amount] = [whole[position] ?? 0, capped[position] ?? 0];
    const isMoney = action.kind === 'AWARD_CASHBACK';
    return {
      ...action,
      points: isMoney ? 0 : amount,
      cashbackCents: isMoney ? amount : 0,
      cappedFrom: amount < full ? full : null,
    };
  });
}

/** How much of what limits count a reward is. */
export function measureOf(actions: readonly ActionOutcome[], amounts: readonly number[], base: Base): Measure {
  const points = actions.reduce((sum, { kind, transfer }, position) => {
    if (kind === 'AWARD_CASHBACK') return sum;
    return sum + (transfer?.points ?? amounts[position] ?? 0);
  }, 0);
  return {
    events: amounts.some((amount) => amount > 0) ? 1 : 0,
    points,
    cents: base.kind === 'CENTS' ? base.amount : null,
  };
}
