import { type CostPromise, costPromises, idempotencyKeyAdds } from '../promises.ts';
import type { Cost } from './measure.ts';

/** A figure beside what was promised of it. */
export interface Verdict {
  readonly figure: number;
  readonly promised: number | undefined;
  readonly isKept: boolean;
}

const verdict = (figure: number, promised: number | undefined): Verdict => ({
  figure,
  promised,
  isKept: promised === undefined || figure <= promised,
});

/** What is promised of round trips and of units, and whether it holds. */
export function verdictsOn(cost: Cost): Readonly<Record<'roundTrips' | 'readUnits' | 'writeUnits', Verdict>> {
  const { endpoint, scenario } = cost;
  const promise: CostPromise = costPromises[`${endpoint} (${scenario})`] ?? costPromises[endpoint] ?? {};
  const promisedTrips = cost.cache === 'cold' ? promise.coldRoundTrips : promise.warmRoundTrips;
  const added = scenario.includes('Idempotency-Key') ? idempotencyKeyAdds : { roundTrips: 0, writeUnits: 0 };
  const plus = (promised: number | undefined, more: number) => (promised === undefined ? undefined : promised + more);
  return {
    roundTrips: verdict(cost.roundTrips, plus(promisedTrips, added.roundTrips)),
    readUnits: verdict(cost.readUnits, promise.readUnits),
    writeUnits: verdict(cost.writeUnits, plus(promise.writeUnits, added.writeUnits)),
  };
}

/** One line for each promise that does not hold. */
export function brokenPromises(costs: readonly Cost[]): string[] {
  return costs.flatMap((cost) => {
    const { roundTrips, readUnits, writeUnits } = verdictsOn(cost);
    const name = `${cost.endpoint} (${[cost.scenario, cost.cache].filter(Boolean).join(', ')})`;
    return [
      ...(roundTrips.isKept ? [] : [`${name}: ${roundTrips.figure} round trips, promised ${roundTrips.promised}`]),
      ...(readUnits.isKept ? [] : [`${name}: ${readUnits.figure} read units, promised ${readUnits.promised}`]),
      ...(writeUnits.isKept ? [] : [`${name}: ${writeUnits.figure} write units, promised ${writeUnits.promised}`]),
    ];
  });
}
