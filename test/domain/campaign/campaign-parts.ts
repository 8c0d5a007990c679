import { validateCampaign } from '../../../shared/domain/campaign/authoring/validate.ts';
import type {
  Action,
  Campaign,
  Condition,
  Flow,
  Goal,
  Limit,
} from '../../../shared/domain/campaign/document/campaign.ts';
import { periods } from '../../../shared/domain/period.ts';
import { aCampaign, aFlow, earning, settings } from '../fixtures.ts';

/** Parts and flows from which the tests of validateCampaign() compose campaigns. */

export const own = { ownerId: 2 };
export const points = (id: number, pointsPerEvent = 500): Action => ({
  id,
  ...own,
  kind: 'AWARD_POINTS',
  pointsPerEvent,
});
export const cashback = (id: number): Action => ({ id, ...own, kind: 'AWARD_CASHBACK', shareBp: 500 });
export const moving = (toPartnerId = 3, fromPartnerId = 2): Action => ({
  id: 1,
  ...own,
  kind: 'TRANSFER_POINTS',
  fromPartnerId,
  toPartnerId,
  conversionRateBp: 10_000,
  increment: 1_000,
});
export const basket = (operator: 'GREATER_THAN' | 'LESS_THAN', amountCents: number, id: number): Condition => ({
  id,
  ...own,
  attribute: 'BASKET_SIZE',
  operator,
  amountCents,
});
export const elapsed = (operator: 'GREATER_THAN' | 'LESS_THAN', days: number, id: number): Condition => ({
  id,
  ...own,
  attribute: 'TIME_ELAPSED',
  operator,
  days,
});
export const livesOutside = (...values: string[]): Condition => ({
  id: 71,
  ...own,
  attribute: 'GEOGRAPHY',
  operator: 'IS_NOT_IN',
  values,
});
export const perTransaction = (
  bound: 'MINIMUM' | 'MAXIMUM',
  unit: 'POINTS' | 'DOLLARS',
  amount: number,
  id = 91,
): Limit => ({
  id,
  ...own,
  kind: 'TRANSACTION',
  bound,
  unit,
  amount,
});
export const perMember = (unit: 'EVENTS' | 'POINTS', amount: number, id = 95): Limit => ({
  id,
  ...own,
  kind: 'USER',
  bound: 'MAXIMUM',
  unit,
  amount,
  period: 'DAY',
});
export const goal = (type: Goal['type'], id = 80): Goal => ({ id, ...own, type, target: 1_000 });

/** Flows numbered from 10, so their ids differ from those of other parts. */
export const flow = (actions: Action[], more: Partial<Flow> = {}): Flow => ({ ...aFlow(actions, [], 10), ...more });
export const earnFlow = (more: Partial<Flow> = {}) => flow([earning(10_000)], more);
export const all = (...conditions: Condition[]) => ({ id: 70, logic: 'ALL' as const, conditions });
export const any = (...conditions: Condition[]) => ({ id: 70, logic: 'ANY' as const, conditions });
export const registration = { trigger: { type: 'REGISTRATION' } } as const;

/** Creates `count` actions. Their ids are `from` and the numbers after it. */
export const actions = (count: number, from = 100) =>
  Array.from({ length: count }, (_, more) => earning(10_000, from + more));
export const memberLimits = (count: number): Limit[] =>
  [1, 2]
    .flatMap((ownerId) => periods.map((period) => ({ ownerId, period })))
    .flatMap((of) => [perMember('EVENTS', 1), perMember('POINTS', 1)].map((limit) => ({ ...limit, ...of }) as Limit))
    .slice(0, count)
    .map((limit, more) => ({ ...limit, id: 400 + more }));

export const custom = (customTriggerId: number) => flow([points(1)], { trigger: { type: 'CUSTOM', customTriggerId } });

export const faultsOf = (campaign: Partial<Campaign>, known: Parameters<typeof settings>[0] = {}) =>
  validateCampaign(aCampaign({ flows: [earnFlow()], ...campaign }), settings(known));
