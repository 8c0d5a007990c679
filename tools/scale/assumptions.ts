import { maximumCount, minuteMs, timingMs, toSeconds } from '../../shared/contracts/limits.ts';
import { type Load, loads } from '../cost/prices.ts';
import { tableTimes } from './table-times.ts';

/** What the model of the load assumes beside the counts and the assumptions of tools/cost/prices.ts. */
export const scaleAssumptions = {
  /** Purchases per second at which batches are as large as in `loads.busy`. They are not larger at any load. */
  busyPerSecond: 100,
  /** The share of tokens that no caller spends, because a checkout asks for a token before the customer pays. */
  abandonedShare: 0.2,
  /** Items of the transaction that releases a token: the claim, its transaction, the event. */
  releasedItems: 3,
  /** Seconds for which DynamoDB keeps a data key for one caller. */
  dataKeySeconds: 300,
  secondsPerMonth: 43_800 * 60,
} as const;

/** The batches at a load. They grow with the load, from one message up to those of a busy stage. */
export function loadAt(perSecond: number): Load {
  const { single, busy } = loads;
  const share = perSecond / scaleAssumptions.busyPerSecond;
  const grown = (batch: number) => Math.min(batch, Math.max(1, batch * share));
  return {
    title: `${perSecond} a second`,
    streamBatch: grown(busy.streamBatch),
    queueBatch: grown(busy.queueBatch),
    isCached: share >= 1 ? busy.isCached : single.isCached,
  };
}

/** The time in which release-expired releases one token: a read, then a transaction. */
export const releaseMs = tableTimes.readMs + tableTimes.transactionMs(scaleAssumptions.releasedItems);

/** Tokens that release-expired can release in a second, by one run each minute. */
export const releasesPerSecond =
  (maximumCount.releasedTogether * timingMs.expirySweep) / releaseMs / toSeconds(minuteMs);
