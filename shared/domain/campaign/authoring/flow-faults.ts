import {
  type Action,
  actionKind,
  type Condition,
  conditionKind,
  type Flow,
  type Limit,
  triggerKind,
} from '../document/campaign.ts';
import { isByDollar } from '../document/facts.ts';
import type { CampaignType } from '../document/kinds/kind.ts';
import {
  type CampaignFault,
  type CampaignSettings,
  eventInWords,
  fault,
  faultIf,
  type KnownTrigger,
  takesPoints,
  withArticle,
} from '../document/kinds/kind.ts';
import { actionKinds, triggerKinds } from '../document/kinds/registry.ts';

/** A flow, and the data that its faults depend on. */
export interface FlowInDocument {
  readonly flow: Flow;
  readonly type: CampaignType;
  readonly settings: CampaignSettings;
  /** JSON Pointer of the flow. */
  readonly at: string;
}

/** Finds faults of a flow that the schemas of its parts cannot find. */
export function findFlowFaults(inDocument: FlowInDocument): CampaignFault[] {
  return [
    ...triggerFaults(inDocument),
    ...actionFaults(inDocument),
    ...multiplierFaults(inDocument),
    ...conditionFaults(inDocument),
    ...limitFaults(inDocument),
  ];
}

function triggerFaults({ flow: { trigger }, type, settings, at }: FlowInDocument): CampaignFault[] {
  if (!triggerKind(trigger.type).campaignTypes.includes(type)) {
    const wanted = triggerKinds.filter(({ campaignTypes }) => campaignTypes.some((one) => one === type));
    const names = wanted.map(({ name }) => name).join(' or ');
    const message = `${withArticle(type)} flow begins with ${names}, not with ${trigger.type}`;
    return [fault(`${at}/trigger`, 'trigger_of_other_type', message)];
  }
  if (trigger.type !== 'CUSTOM') return [];
  const { customTriggerId, amountField } = trigger;
  return [
    ...customTriggerFaults(customTriggerId, settings.triggers, `${at}/trigger/customTriggerId`),
    ...(amountField === undefined ? [] : amountFieldFaults(amountField, trigger, { settings, at })),
  ];
}

/**
 * The amount field of a flow has to be a required number in the context of the event. An event without the number would
 * earn nothing.
 */
function amountFieldFaults(
  field: string,
  { customTriggerId }: { readonly customTriggerId: number },
  { settings, at }: Pick<FlowInDocument, 'settings' | 'at'>,
): CampaignFault[] {
  const trigger = settings.triggers.find((one) => one.customTriggerId === customTriggerId);
  if (!trigger) return [];
  const amounts = amountFieldsOf(trigger);
  const choice =
    amounts.length === 0 ? 'add a required number to its context first' : `it has the amounts ${amounts.join(', ')}`;
  const message = `Trigger ${nameOf(trigger)} has no required number ${field} in its context: ${choice}`;
  return faultIf(!amounts.includes(field), fault(`${at}/trigger/amountField`, 'unknown_amount_field', message));
}

/** The fields of a trigger's context that flows may reward as an amount. */
export const amountFieldsOf = ({ contextSchema }: Pick<KnownTrigger, 'contextSchema'>): string[] =>
  Object.entries(contextSchema.fields)
    .filter(([, { type, isRequired }]) => isRequired && (type === 'number' || type === 'integer'))
    .map(([name]) => name);

function customTriggerFaults(id: number, triggers: readonly KnownTrigger[], at: string): CampaignFault[] {
  const trigger = triggers.find(({ customTriggerId }) => customTriggerId === id);
  if (!trigger) return [unknownTrigger(at, `${id}`, triggers)];
  const named = `Trigger ${nameOf(trigger)}`;
  return [
    ...faultIf(
      trigger.event === 'REFERRAL',
      fault(at, 'referral_trigger', `${named} reports referrals: the flow has to begin with REFERRAL, not with CUSTOM`),
    ),
    ...faultIf(
      !trigger.isActive,
      fault(at, 'inactive_trigger', `${named} is not active, so its events are refused: activate it first`),
    ),
  ];
}

/** Builds the fault of a flow whose trigger does not exist. The message lists the triggers that the flow may name. */
export function unknownTrigger(at: string, named: string, triggers: readonly KnownTrigger[]): CampaignFault {
  const usable = triggers.filter(({ event, isActive }) => event === 'CUSTOM' && isActive).map(nameOf);
  const choice = usable.length === 0 ? 'make it first' : `flows may begin with ${usable.join(', ')}`;
  return fault(at, 'unknown_trigger', `The partnership has no trigger ${named}: ${choice}`);
}

const nameOf = ({ customTriggerId, name }: KnownTrigger) => `${customTriggerId} (${name})`;

function actionFaults(inDocument: FlowInDocument): CampaignFault[] {
  const { flow, type, at } = inDocument;
  return [
    ...faultIf(
      type !== 'CONNECT_ONLY' && flow.actions.length === 0,
      fault(`${at}/actions`, 'no_action', 'Without an action the flow rewards nothing: add at least one'),
    ),
    ...paymentFaults(inDocument),
    ...flow.actions.flatMap((action, position) => faultsOfAction(action, inDocument, `${at}/actions/${position}`)),
  ];
}

/** A flow of a campaign that takes points has exactly one action that takes them. The flow may also give cashback. */
function paymentFaults({ flow: { actions }, type, at }: FlowInDocument): CampaignFault[] {
  if (!takesPoints(type) || actions.length === 0) return [];
  const paying = actions.filter(({ kind }) => actionKind(kind).effect !== 'award').length;
  const named = `${withArticle(type)} flow has one action that takes points`;
  return [
    ...faultIf(paying > 1, fault(`${at}/actions`, 'several_actions', `${named}: two would take points twice`)),
    ...faultIf(paying === 0, fault(`${at}/actions`, 'no_payment', `${named}: add it beside the cashback`)),
  ];
}

function faultsOfAction(action: Action, { flow, type, settings }: FlowInDocument, at: string): CampaignFault[] {
  const kind = actionKind(action.kind);
  if (kind.campaignTypes.includes(type)) return kind.faults(action, { type, trigger: flow.trigger, settings, at });
  const allowed = actionKinds
    .filter(({ campaignTypes }) => campaignTypes.some((one) => one === type))
    .map(({ name }) => name);
  const message = `${withArticle(type)} campaign has ${allowed.join(' or ') || 'no actions'}, not ${action.kind}`;
  return [fault(`${at}/kind`, 'action_of_other_type', message)];
}

/** A condition and its place. */
interface Placed {
  readonly condition: Condition;
  /** JSON Pointer of the condition. */
  readonly at: string;
  /** Whether the flow rewards nothing when the condition does not hold. */
  readonly isRequired: boolean;
}

function multiplierFaults({ flow: { multipliers }, type, at }: FlowInDocument): CampaignFault[] {
  const message = 'A CONNECT_ONLY campaign awards no points that could be multiplied: remove the multipliers';
  return faultIf(
    type === 'CONNECT_ONLY' && multipliers.length > 0,
    fault(`${at}/multipliers`, 'nothing_to_multiply', message),
  );
}

function conditionFaults(inDocument: FlowInDocument): CampaignFault[] {
  const { type, settings, flow } = inDocument;
  const placed = placedConditions(inDocument);
  return [
    ...placed.flatMap(({ condition, at }) =>
      conditionKind(condition.attribute).faults(condition, { type, trigger: flow.trigger, settings, at }),
    ),
    ...[...Map.groupBy(placed, ({ condition }) => comparedName(condition)).values()].flatMap(rangeFaults),
  ];
}

/**
 * The key by which conditions are grouped. Only conditions with the same key are compared with each other. The key
 * contains the attribute, and the name if the condition has one.
 */
const comparedName = (condition: Condition): string =>
  'name' in condition ? `${condition.attribute} ${condition.name}` : condition.attribute;

function placedConditions({ flow, at }: FlowInDocument): Placed[] {
  return flow.conditionGroups.flatMap(({ logic, conditions }, group) =>
    conditions.map((condition, position) => ({
      condition,
      at: `${at}/conditionGroups/${group}/conditions/${position}`,
      isRequired: logic === 'ALL' || conditions.length === 1,
    })),
  );
}

/** Finds required conditions on one attribute that contradict each other: no amount is between their bounds. */
function rangeFaults(placed: readonly Placed[]): CampaignFault[] {
  const bounds = placed.filter(({ isRequired }) => isRequired).flatMap(toBound);
  const [first] = bounds;
  if (!first) return [];
  // Amounts are whole numbers that are not negative: the only amount between 4 and 6 is 5. Days and plain numbers may
  // have fractions.
  const step = first.unit === 'days' || first.unit === 'none' ? 0 : 1;
  const lowest = first.unit === 'none' ? Number.NEGATIVE_INFINITY : -step;
  const floor = Math.max(lowest, ...bounds.filter(({ isFloor }) => isFloor).map(({ amount }) => amount));
  return bounds
    .filter(({ isFloor }) => !isFloor)
    .flatMap(({ amount, unit, at }) => {
      const both = amount === 0 ? '' : `more than ${floor} and `;
      const bound = unit === 'none' ? amount : `${amount} ${unit}`;
      return faultIf(amount <= floor + step, fault(at, 'never_holds', `Nothing is ${both}less than ${bound}`));
    });
}

function toBound({ condition, at }: Placed) {
  const kind = conditionKind(condition.attribute);
  const amount = kind.needed(condition);
  if (kind.unit === null || typeof amount !== 'number') return [];
  return [{ amount, isFloor: condition.operator === 'GREATER_THAN', unit: kind.unit, at }];
}

/** Finds limits that have no effect, and limits that prevent every reward. */
function limitFaults(inDocument: FlowInDocument): CampaignFault[] {
  const { limits } = inDocument.flow;
  return limits.flatMap((limit, position) => {
    const at = `${inDocument.at}/limits/${position}`;
    return [
      ...unitFaults(limit, inDocument, at),
      ...faultIf(
        limit.bound === 'MAXIMUM' && limit.amount === 0,
        fault(`${at}/amount`, 'maximum_of_zero', 'A maximum of 0 rewards no member'),
      ),
      ...minimumFaults(limit, limits, at),
      ...faultIf(
        limits.slice(0, position).some((earlier) => isSameLimit(earlier, limit)),
        fault(at, 'repeated_limit', 'An earlier limit of the flow limits the same: keep one of them'),
      ),
    ];
  });
}

function unitFaults({ unit }: Limit, { flow, type }: FlowInDocument, at: string): CampaignFault[] {
  const hasPoints = flow.actions.some(({ kind }) => actionKind(kind).unit === 'points');
  return [
    ...faultIf(
      unit === 'DOLLARS' && (type === 'TRANSFER' || !isByDollar(flow.trigger)),
      fault(
        `${at}/unit`,
        'no_dollars',
        `Nothing is spent ${eventInWords({ type, trigger: flow.trigger })}: dollars cannot be limited`,
      ),
    ),
    ...faultIf(
      unit === 'POINTS' && !hasPoints,
      fault(`${at}/unit`, 'no_points', 'No action of the flow is about points: they cannot be limited'),
    ),
  ];
}

function minimumFaults(minimum: Limit, limits: readonly Limit[], at: string): CampaignFault[] {
  if (minimum.bound !== 'MINIMUM') return [];
  const maximums = limits.filter(({ bound, unit }) => bound === 'MAXIMUM' && unit === minimum.unit);
  const maximum = Math.min(...maximums.map(({ amount }) => amount));
  const message = `The minimum of ${minimum.amount} is above the maximum of ${maximum}`;
  return faultIf(maximum < minimum.amount, fault(`${at}/amount`, 'minimum_above_maximum', message));
}

/**
 * Whether two limits have one owner and limit the same amount. Equal limits of different owners are allowed: both
 * apply.
 */
function isSameLimit(one: Limit, other: Limit): boolean {
  return (
    one.ownerId === other.ownerId &&
    one.kind === other.kind &&
    one.bound === other.bound &&
    one.unit === other.unit &&
    (one.kind === 'USER' && other.kind === 'USER' ? one.period === other.period : true)
  );
}
