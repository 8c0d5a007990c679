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
import { localMoment } from '../cli/moments.ts';
import { count, facts, section } from '../cli/text.ts';
import { amountInWords, decimal, rateInWords, type TierName, valueInWords, withTierNames } from './parts.ts';

/** A version of a campaign in words. The sentence about a part comes from the kind of the part. */

/** The time zone of a campaign's partnership, and the names of the status tiers of its program. */
interface WordsContext {
  readonly timeZone: string;
  readonly tierName: TierName;
}

/** Describes the schedule, the flows and the goals, with times in the time zone of the partnership. */
export function campaignWords(
  { description, type, startsAt, endsAt, flows, goals }: Campaign,
  { timeZone, tierName }: WordsContext,
): string {
  return [
    facts({
      type,
      description,
      starts: localMoment(startsAt, timeZone),
      ends: endsAt === null ? 'when it is ended' : localMoment(endsAt, timeZone),
    }),
    ...flows.map((flow) => section(`Flow ${flow.id}: ${eventOf(flow)}`, flowLines(flow, tierName).join('\n'))),
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

/** Names a flow by what it gives: `each dollar earns 2 points`. */
export function flowName(flow: Flow): string {
  const sentences = flow.actions.map((action) => actionWords(action, perOf(flow)).replace(/\.$/, ''));
  return sentences.map((one) => one.charAt(0).toLowerCase() + one.slice(1)).join(', ') || eventOf(flow);
}

const perOf = ({ trigger }: Flow) => (trigger.type === 'SPEND' ? 'dollar' : 'event');

function flowLines(flow: Flow, tierName: TierName): string[] {
  const { actions, conditionGroups, multipliers, limits, reevaluateOnRefund } = flow;
  const groups = conditionGroups.map((group) => groupWords(group, tierName));
  return [
    ...actions.map((one) => `${actionWords(one, perOf(flow))} (action ${one.id} of organisation ${one.ownerId})`),
    ...(groups.length === 0 ? ['Every member qualifies.'] : groups),
    ...multipliers.map((multiplier) => `${multiplierWords(multiplier, tierName)}.`),
    ...limits.map(limitWords),
    ...(reevaluateOnRefund ? ['A refund tests the basket size and minimums again.'] : []),
  ];
}

function actionWords(action: Action, per: 'dollar' | 'event'): string {
  const { baseRate, rateUnit, words } = actionKind(action.kind);
  const rate = decimal(baseRate(action, per === 'dollar'), rateUnit.decimals);
  return words(rateInWords(rate, rateUnit.of), per).sentence;
}

function groupWords({ logic, conditions }: ConditionGroup, tierName: TierName): string {
  const clauses = conditions
    .map((condition) => conditionWords(condition, tierName))
    .join(logic === 'ANY' ? ', or ' : ', and ');
  return `Only if ${clauses}.`;
}

function conditionWords(condition: Condition, tierName: TierName): string {
  const { needed, unit, words } = conditionKind(condition.attribute);
  const value = needed(condition);
  const name = 'name' in condition ? condition.name : undefined;
  const bound = typeof value === 'number' ? value : withTierNames(condition.attribute, [...value], tierName);
  return words({ operator: condition.operator, needed: valueInWords(bound, unit), name });
}

/** `× 1.5 if the status tier is Gold (2)` */
export function multiplierWords(multiplier: Multiplier, tierName: TierName): string {
  const subject = 'name' in multiplier ? `the attribute ${multiplier.name}` : 'the status tier';
  const listed = multiplierKind(multiplier.attribute).listed(multiplier);
  const values = withTierNames(multiplier.attribute, [...listed], tierName);
  const isIn = multiplier.operator === 'IS_IN' ? 'is' : 'is not';
  const oneOf = values.length > 1 ? ' one of' : '';
  return `× ${decimal(multiplier.factorBp, 4)} if ${subject} ${isIn}${oneOf} ${values.join(', ')}`;
}

function limitWords(limit: Limit): string {
  const period = 'period' in limit ? limit.period : null;
  const each = period === null || period === 'LIFETIME' ? period : `each ${period.toLowerCase()}`;
  const bound = limit.bound === 'MINIMUM' ? 'At least' : 'At most';
  return `${bound} ${amountInWords(limit.amount, limitUnits[limit.unit].unit)} ${limitKind(limit.kind).words(each)}.`;
}

/** `points earned`, from `POINTS_EARNED` */
const inWords = (name: string) => name.toLowerCase().replaceAll('_', ' ');
