import { dayMs, maximumCount, timingMs } from '../../contracts/limits.ts';
import { type Measurement, type PendingAge, pendingAges } from '../../contracts/metrics.ts';
import { timeOfUuid } from '../../domain/ids.ts';
import { Postings } from '../../store/ledger/postings.ts';
import { Deliveries } from '../../store/webhook/deliveries.ts';
import { Subscriptions } from '../../store/webhook/subscriptions.ts';
import type { Deps } from '../operation.ts';

export const measureBacklogsStores = { deliveries: Deliveries, postings: Postings, subscriptions: Subscriptions };

interface MeasureDeps extends Pick<Deps, 'now'> {
  readonly deliveries: Pick<Deliveries, 'countParked'>;
  readonly postings: Pick<Postings, 'waiting'>;
  readonly subscriptions: Pick<Subscriptions, 'waiting'>;
}

/**
 * Measures the work that waits for partners: transactions for their own programs, and deliveries for endpoints that
 * failed. Reads a bounded number of keys of the `due` index, so in a long outage the true numbers are higher.
 */
export async function measureBacklogs({
  deliveries,
  postings,
  subscriptions,
  now,
}: MeasureDeps): Promise<Measurement[]> {
  const at = now();
  const [waiting, endpoints] = await Promise.all([postings.waiting(), subscriptions.waiting()]);
  const parked = await Promise.all(
    endpoints
      .slice(0, maximumCount.measuredEndpoints)
      .map(({ subscriptionId }) => deliveries.countParked(subscriptionId, maximumCount.countedParked)),
  );
  const aged = waiting.map(({ uuid, partnerId }) => ({ partnerId, age: ageOf(uuid, at) }));
  const late = aged.filter(({ age }) => age !== 'up to an hour');
  return [
    ...pendingAges.map((part) => ({
      ...({ name: 'PendingTransactions', part } as const),
      values: [aged.filter(({ age }) => age === part).length],
    })),
    { name: 'WaitingPrograms', values: [new Set(late.map(({ partnerId }) => partnerId)).size] },
    { name: 'WaitingEndpoints', values: [endpoints.length] },
    { name: 'ParkedDeliveries', values: [parked.reduce((sum, { count }) => sum + count, 0)] },
  ];
}

/** The age of a transaction, by the time in its UUID. */
function ageOf(uuid: string, now: Date): PendingAge {
  const ageMs = now.getTime() - timeOfUuid(uuid).getTime();
  if (ageMs <= timingMs.toleratedPending) return 'up to an hour';
  return ageMs <= dayMs ? 'up to a day' : 'over a day';
}
