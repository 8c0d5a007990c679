import { maximumAmountCents } from '../../../contracts/limits.ts';
import { centsOfDollars } from '../../money.ts';
import { type Condition, conditionKind, type Flow } from '../document/campaign.ts';
import type { EventFacts, PurchasedItem } from '../document/facts.ts';
import type { GroupOutcome } from './decision.ts';

/**
 * The amount that a flow rewards instead of the whole amount: the amount of chosen items, or an amount in the context
 * of a custom event.
 */

/**
 * Whether the flow rewards chosen items only. That is so if a group holds only because of conditions that choose items.
 * A group that also holds without them chooses nothing.
 */
export function choosesItems(flow: Flow, groups: readonly GroupOutcome[]): boolean {
  return !groupsHold(flow, groups, () => false);
}

/**
 * Counts the cents of the items that fulfil all groups together. The eligible amount may be less than the prices of all
 * items, because of a discount. Then the same share of the price of each item counts. Amounts that belong to no item,
 * such as taxes in the amount of endpoint 1, never count.
 *
 * @returns undefined if no item fulfils all groups
 */
export function countChosenItems(
  flow: Flow,
  groups: readonly GroupOutcome[],
  { items = [], amountCents }: Pick<EventFacts, 'items' | 'amountCents'>,
): number | undefined {
  const chosen = items.filter((item) => groupsHold(flow, groups, (condition) => chooses(condition, item)));
  if (chosen.length === 0) return undefined;
  const eligible = amountCents ?? 0;
  const whole = Math.max(eligible, sumOf(items));
  // The product of two amounts of ten million dollars does not fit into a double.
  return whole === 0 ? 0 : Number((BigInt(eligible) * BigInt(sumOf(chosen))) / BigInt(whole));
}

const sumOf = (items: readonly PurchasedItem[]) => items.reduce((sum, { amountCents }) => sum + amountCents, 0);

/** Whether all groups hold if the conditions that choose items have the result of `isChosen`. */
function groupsHold(flow: Flow, groups: readonly GroupOutcome[], isChosen: (condition: Condition) => boolean): boolean {
  return flow.conditionGroups.every(({ logic, conditions }, group) => {
    const held = conditions.map((condition, position) =>
      conditionKind(condition.attribute).chooses
        ? isChosen(condition)
        : groups[group]?.conditions[position]?.holds === true,
    );
    return logic === 'ANY' ? held.some(Boolean) : held.every(Boolean);
  });
}

const chooses = (condition: Condition, item: PurchasedItem): boolean =>
  conditionKind(condition.attribute).chooses?.(condition, item) ?? false;

/**
 * Converts an amount in the context of an event from dollars to cents. A fraction of a cent never counts.
 *
 * @returns undefined if the context has no such number, or the number is negative or too large
 */
export function countContextAmount(field: string, { numbers }: Pick<EventFacts, 'numbers'>): number | undefined {
  const dollars = numbers?.get(field);
  if (dollars === undefined || dollars < 0 || dollars > maximumAmountCents / 100) return undefined;
  // An exact amount stays exact: as a float, 0.29 times 100 is less than 29.
  return centsOfDollars(dollars) ?? Math.floor(Math.round(dollars * 1_000_000) / 10_000);
}
