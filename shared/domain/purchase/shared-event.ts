import type { FlowOutcome } from '../campaign/evaluation/decision.ts';
import type { TransactionChange } from '../ledger/finalize.ts';
import { type Charge, isStanding, noRefunds, type RewardTransaction } from '../ledger/reward-transaction.ts';

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
 * - `returning`: by nobody, until the program has confirmed the restoration of the holder.
 * - `uncounted`: by nobody. `charges` count it.
 */
export type EventCount =
  | { readonly kind: 'unlimited' }
  | { readonly kind: 'counted' | 'returning'; readonly holder: RewardTransaction }
  | { readonly kind: 'uncounted'; readonly charges: readonly Charge[] };

/** Finds where an event is counted: by one of its rewards. */
export function countOfEvent({ flow }: RewardedEvent, rewards: readonly RewardTransaction[]): EventCount {
  const charges = eventCharges(flow);
  if (charges.length === 0) return { kind: 'unlimited' };
  const countsIn = (list: readonly Charge[] = []) => list.some((one) => charges.some((other) => isSame(one, other)));
  const holders = rewards.filter((one) => isStanding(one) && countsIn(one.charges));
  const counting = holders.find(({ refunds }) => !countsIn(refunds?.returned));
  if (counting) return { kind: 'counted', holder: counting };
  const [returning] = holders;
  return returning ? { kind: 'returning', holder: returning } : { kind: 'uncounted', charges };
}

/** The rewards of an event among the awards of a purchase. */
export const rewardsOfEvent = (
  { template, flow }: RewardedEvent,
  transactions: readonly RewardTransaction[],
): RewardTransaction[] =>
  transactions.filter(
    ({ snapshotId, flowId, reverses }) => snapshotId === template.snapshotId && flowId === flow.flowId && !reverses,
  );

const eventCharges = ({ limits }: FlowOutcome): Charge[] =>
  limits.flatMap(({ limitId, period, unit, amount: most, charge: amount }) =>
    unit === 'EVENTS' && period !== null && amount > 0 ? [{ limitId, period, amount, most, isShared: true }] : [],
  );

const isSame = (one: Charge, other: Charge) => one.limitId === other.limitId && one.period === other.period;

/** Adds a further award to the rewards that share the charges of a holder. The write fails if the holder has changed. */
export function shareEvent(holder: RewardTransaction, { flow }: RewardedEvent, furtherId: number): TransactionChange {
  const { charges, sharesChargesWith = [], refunds = noRefunds } = holder;
  const shared = eventCharges(flow);
  return {
    before: holder,
    set: {
      charges: charges.map((charge) =>
        shared.some((one) => isSame(one, charge)) ? { ...charge, isShared: true } : charge,
      ),
      sharesChargesWith: [...sharesChargesWith, furtherId],
      refunds: { ...refunds, revision: refunds.revision + 1 },
    },
  };
}
