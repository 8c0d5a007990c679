import type { Condition } from '../../document/conditions/registry.ts';
import { type CampaignFault, type FlowInDocument, fault, faultIf } from './fault.ts';
import { placeFaults } from './places.ts';

interface Placed {
  readonly condition: Condition;
  /** JSON Pointer of the condition. */
  readonly at: string;
  /** Whether nobody is rewarded for whom it does not hold. */
  readonly isNeeded: boolean;
}

/** What is wrong with the conditions of a flow: those that never hold, and places that are nowhere. */
export function conditionFaults(inDocument: FlowInDocument): CampaignFault[] {
  const placed = placedConditions(inDocument);
  const bounds = placed.filter(({ isNeeded }) => isNeeded).flatMap(boundOf);
  return [
    ...placed.flatMap(({ condition, at }) => placeFaults(condition, at)),
    ...basketFaults(placed, inDocument),
    // A basket is a whole number of cents, and of two numbers next to each other none is between.
    ...rangeFaults(
      bounds.filter(({ unit }) => unit === 'cents'),
      { above: -1, gap: 1 },
    ),
    ...rangeFaults(
      bounds.filter(({ unit }) => unit === 'days'),
      { above: 0, gap: 0 },
    ),
  ];
}

function placedConditions({ flow, at }: FlowInDocument): Placed[] {
  return flow.conditionGroups.flatMap(({ logic, conditions }, group) =>
    conditions.map((condition, position) => ({
      condition,
      at: `${at}/conditionGroups/${group}/conditions/${position}`,
      isNeeded: logic === 'ALL' || conditions.length === 1,
    })),
  );
}

function basketFaults(placed: readonly Placed[], { flow, type }: FlowInDocument): CampaignFault[] {
  if (type !== 'TRANSFER' && flow.trigger.type === 'SPEND') return [];
  const why = type === 'TRANSFER' ? 'by a transfer' : `at ${flow.trigger.type}`;
  return placed
    .filter(({ condition }) => condition.attribute === 'BASKET_SIZE')
    .map(({ at }) => fault(at, 'no_basket', `Nothing is bought ${why}: a basket size can never hold`));
}

/** An amount that has to be more, or less, than another. */
interface Bound {
  readonly operator: 'GREATER_THAN' | 'LESS_THAN';
  readonly amount: number;
  readonly unit: 'cents' | 'days';
  readonly at: string;
}

function boundOf({ condition, at }: Placed): Bound[] {
  switch (condition.attribute) {
    case 'BASKET_SIZE':
      return [{ operator: condition.operator, amount: condition.amountCents, unit: 'cents', at }];
    case 'TIME_ELAPSED':
      return [{ operator: condition.operator, amount: condition.days, unit: 'days', at }];
    default:
      return [];
  }
}

/** Bounds that have to hold all at once, and leave nothing between them. */
function rangeFaults(
  bounds: readonly Bound[],
  { above, gap }: { readonly above: number; readonly gap: number },
): CampaignFault[] {
  const floor = Math.max(above, ...bounds.filter(({ operator }) => operator === 'GREATER_THAN').map(amountOf));
  return bounds
    .filter(({ operator }) => operator === 'LESS_THAN')
    .flatMap(({ amount, unit, at }) => {
      const both = amount === 0 ? '' : `more than ${floor} and `;
      return faultIf(amount <= floor + gap, fault(at, 'never_holds', `Nothing is ${both}less than ${amount} ${unit}`));
    });
}

const amountOf = ({ amount }: Bound) => amount;
