import type { Delivery } from './delivery.ts';

/** The results of the last deliveries to an endpoint. Undefined where there are no attempts. */
export interface EndpointStatistics {
  /** The deliveries that were attempted and that the figures are about. */
  readonly attempted: number;
  /** The share of them that was delivered, from 0 to 1. */
  readonly successRate: number | undefined;
  /** The duration of the last attempt of each, in milliseconds. */
  readonly p50Ms: number | undefined;
  readonly p95Ms: number | undefined;
}

/** Computes the statistics of deliveries. Deliveries without an attempt are not counted. */
export function statisticsOf(deliveries: readonly Delivery[]): EndpointStatistics {
  const attempted = deliveries.filter(({ attempts }) => attempts > 0);
  const delivered = attempted.filter(({ state }) => state === 'delivered').length;
  const durationsMs = attempted.flatMap(({ totalMs }) => totalMs ?? []).toSorted((one, other) => one - other);
  return {
    attempted: attempted.length,
    successRate: attempted.length === 0 ? undefined : delivered / attempted.length,
    p50Ms: percentile(durationsMs, 0.5),
    p95Ms: percentile(durationsMs, 0.95),
  };
}

/** The smallest value that at least the share of the sorted values does not exceed. */
function percentile(sorted: readonly number[], share: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}
