import type { FlowOutcome } from '../campaign/evaluation/decision.ts';
import { type Charge, isBeingRestored, isCharged, type RewardTransaction } from '../ledger/reward-transaction.ts';

/**
 * A limit of events counts an event once, whatever the number of its rewards: the holder, one of the rewards, contains
 * the charge, and passes it on to another one when nothing of the holder stands any more.
 */

/** A flow of a decision, and a transaction with the decision: what identifies an event that a limit counts. */
interface RewardedEvent {
  readonly template: Pick<RewardTransaction, 'snapshotId'>;
  readonly flow: FlowOutcome;
}

/**
 * Where an event is counted.
 * - `unlimited`: nowhere. The flow has no limit of events.
 * - `counted`: by the holder.
 * - `returning`: not known until the program has answered for the restoration of a reward. It knows only the rewards that
 *   were there when it began, and counts the event if none of them does.
 * - `uncounted`: by nobody. `charges` count it.
 */
export type EventCount =
  | { readonly kind: 'unlimited' }
  | { readonly kind: 'counted' | 'returning'; readonly holder: RewardTransaction }
  | { readonly kind: 'uncounted'; readonly charges: readonly Charge[] };

/** Finds where an event is counted: by one of its rewards. */
export function countOfEvent({ flow }: Pick<RewardedEvent, 'flow'>, rewards: readonly RewardTransaction[]): EventCount {
  const charges = eventCharges(flow);
  if (charges.length === 0) return { kind: 'unlimited' };
  const returning = rewards.find(isBeingRestored);
  if (returning) return { kind: 'returning', holder: returning };
  const limits = new Set(charges.map(({ limitId }) => limitId));
  const counting = rewards.find((one) =>
    one.charges.some((charge) => limits.has(charge.limitId) && isCharged(one, charge)),
  );
  return counting ? { kind: 'counted', holder: counting } : { kind: 'uncounted', charges };
}

/** The rewards of an event among the awards of a purchase. */
export const rewardsOfEvent = (
  { template, flow }: RewardedEvent,
  transactions: readonly RewardTransaction[],
): RewardTransaction[] =>
  transactions.filter(
    ({ snapshotId, flowId, reverses }) => snapshotId === template.snapshotId && flowId === flow.flowId && !reverses,
  );

/** The charges that count an event for the limits of a flow. */
export const eventCharges = ({ limits }: FlowOutcome): Charge[] =>
  limits.flatMap(({ limitId, period, unit, amount: most, charge: amount }) =>
    unit === 'EVENTS' && period !== null && amount > 0 ? [{ limitId, period, amount, most, isShared: true }] : [],
  );
