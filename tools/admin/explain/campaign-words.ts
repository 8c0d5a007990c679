import {
  type Action,
  actionKind,
  type Campaign,
  type Condition,
  type ConditionGroup,
  conditionKind,
  type Flow,
  type Limit,
  limitKind,
  type Multiplier,
  multiplierKind,
} from '../../../shared/domain/campaign/document/campaign.ts';
import { limitUnits } from '../../../shared/domain/campaign/document/kinds/limits.ts';
import { count, facts, localMoment, section } from '../cli/text.ts';
import { amountInWords, decimal, rateInWords, valueInWords } from './parts.ts';

/** A version of a campaign in words. The sentence about a part comes from the kind of the part. */

/** Describes the schedule, the flows and the goals, with times in the time zone of the partnership. */
export function campaignWords(
  { description, type, startsAt, endsAt, flows, goals }: Campaign,
  timeZone: string,
): string {
  return [
    facts({
      type,
      description,
      starts: localMoment(startsAt, timeZone),
      ends: endsAt === null ? 'when it is ended' : localMoment(endsAt, timeZone),
    }),
    ...flows.map((flow) => section(`Flow ${flow.id}: ${eventOf(flow)}`, flowLines(flow).join('\n'))),
    ...(goals.length > 0
      ? [section('Goals', goals.map((goal) => `${inWords(goal.type)}: ${count(goal.target)}`).join('\n'))]
      : []),
  ].join('\n');
}

function eventOf({ trigger }: Flow): string {
  switch (trigger.type) {
    case 'SPEND':
      return 'a purchase';
    case 'REGISTRATION':
      return 'the first link of an account';
    case 'REFERRAL':
      return 'a referred member';
    case 'CUSTOM':
      return `an event of trigger ${trigger.customTriggerId}`;
  }
}

function flowLines({ trigger, actions, conditionGroups, multipliers, limits, reevaluateOnRefund }: Flow): string[] {
  const per = trigger.type === 'SPEND' ? 'dollar' : 'event';
  return [
    ...actions.map((action) => `${actionWords(action, per)} (action ${action.id} of organisation ${action.ownerId})`),
    ...(conditionGroups.length === 0 ? ['Every member qualifies.'] : conditionGroups.map(groupWords)),
    ...multipliers.map(multiplierWords),
    ...limits.map(limitWords),
    ...(reevaluateOnRefund ? ['A refund tests the basket size and minimums again.'] : []),
  ];
}

function actionWords(action: Action, per: 'dollar' | 'event'): string {
  const { baseRate, rateUnit, words } = actionKind(action.kind);
  const rate = decimal(baseRate(action, per === 'dollar'), rateUnit.decimals);
  return words(rateInWords(rate, rateUnit.of), per).sentence;
}

function groupWords({ logic, conditions }: ConditionGroup): string {
  const clauses = conditions.map(conditionWords).join(logic === 'ANY' ? ', or ' : ', and ');
  return `Only if ${clauses}.`;
}

function conditionWords(condition: Condition): string {
  const { needed, unit, words } = conditionKind(condition.attribute);
  const value = needed(condition);
  const name = 'name' in condition ? condition.name : undefined;
  const bound = typeof value === 'number' ? value : [...value];
  return words({ operator: condition.operator, needed: valueInWords(bound, unit), name });
}

function multiplierWords(multiplier: Multiplier): string {
  const subject = 'name' in multiplier ? `the attribute ${multiplier.name}` : `the ${inWords(multiplier.attribute)}`;
  const values = multiplierKind(multiplier.attribute).listed(multiplier).join(', ');
  const isIn = multiplier.operator === 'IS_IN' ? 'is' : 'is not';
  return `× ${decimal(multiplier.factorBp, 4)} if ${subject} ${isIn} one of ${values}.`;
}

function limitWords(limit: Limit): string {
  const period = 'period' in limit ? limit.period : null;
  const each = period === null || period === 'LIFETIME' ? period : `each ${period.toLowerCase()}`;
  const bound = limit.bound === 'MINIMUM' ? 'At least' : 'At most';
  return `${bound} ${amountInWords(limit.amount, limitUnits[limit.unit].unit)} ${limitKind(limit.kind).words(each)}.`;
}

/** `points earned`, from `POINTS_EARNED` */
const inWords = (name: string) => name.toLowerCase().replaceAll('_', ' ');
