import { maximumCount, minuteMs, timingMs, toSeconds } from '../../shared/contracts/limits.ts';
import { type Load, loads } from '../cost/prices.ts';
import { tableTimes } from './table-times.ts';

/** What the model of the load assumes, in addition to the counts and to the assumptions of tools/cost/prices.ts. */
export const scaleAssumptions = {
  /** Purchases per second at which batches are as large as in `loads.busy`. At higher loads, batches are not larger. */
  busyPerSecond: 100,
  /** The share of tokens that no caller spends: a checkout asks for a token, and then the customer does not pay. */
  abandonedShare: 0.2,
  /**
   * The number of items in the DynamoDB transaction that releases a token: the claim, its reward transaction, the
   * event.
   */
  releasedItems: 3,
  /** Seconds for which DynamoDB keeps a data key for one caller. */
  dataKeySeconds: 300,
  secondsPerMonth: 43_800 * 60,
} as const;

/** The sizes of batches at a load. They grow with the load, from one message up to the sizes of a busy stage. */
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

/** The time in which release-expired releases one token: one read, then one DynamoDB transaction. */
export const releaseMs = tableTimes.readMs + tableTimes.transactionMs(scaleAssumptions.releasedItems);

/** The tokens that release-expired can release per second, if it runs once each minute. */
export const releasesPerSecond =
  (maximumCount.releasedTogether * timingMs.expirySweep) / releaseMs / toSeconds(minuteMs);
