import { describe, expect, it } from 'vitest';
import { scaleGoals } from '../../../shared/contracts/promises.ts';
import { releasesPerSecond, scaleAssumptions } from '../../../tools/scale/assumptions.ts';
import { keepsCounting, simulateCountersAt } from '../../../tools/scale/model.ts';
import { quotas } from '../../../tools/scale/quotas.ts';
import { goals, titleOf } from '../../../tools/scale/scenarios.ts';
import { simulateCounters } from '../../../tools/scale/simulated/counters.ts';
import { simulateDeliveries } from '../../../tools/scale/simulated/delivery-partitions.ts';
import { simulateDueIndex, simulateSweep } from '../../../tools/scale/simulated/due-index.ts';

const goalsByTitle = goals.map((load) => [titleOf(load), load] as const);

describe('the counters of campaigns', () => {
  const at = { entriesPerSecond: 1_000, campaigns: 1, readers: 40, counters: 4, seconds: 30 };

  it.each(goalsByTitle)('keep up with the load “%s”', (_, load) => {
    expect(simulateCountersAt(load).secondsBehind).toBeLessThanOrEqual(scaleGoals.counterSeconds);
  });

  it('fall behind at 3,000 entries a second for one campaign', () => {
    expect(keepsCounting({ perSecond: 3_000, merchants: 1, partners: 1, memberLimits: 0 })).toBe(false);
  });

  it('fall less behind when a whole batch adds to one counter', () => {
    const ofBatch = simulateCounters(at);
    const ofEntry = simulateCounters({ ...at, choosesPerEntry: true });
    expect(ofBatch.secondsBehind).toBeLessThan(ofEntry.secondsBehind / 2);
  });

  it('fall less behind when there are more counters', () => {
    const late = [4, 16, 64].map((counters) => simulateCounters({ ...at, counters }).secondsBehind);
    expect(late).toEqual(late.toSorted((one, other) => other - one));
  });

  it('take fewer units when readers wait a second for larger batches', () => {
    const busiest = [50, 1_000].map(
      (pauseMs) => simulateCounters({ ...at, counters: 8, readers: 140, pauseMs }).busiestSecond,
    );
    expect(busiest[1]).toBeLessThan((busiest[0] ?? 0) * 0.75);
  });

  it('take no more units than one partition has', () => {
    expect(simulateCounters({ ...at, entriesPerSecond: 5_000, readers: 700 }).busiestSecond).toBe(
      quotas.partitionWrites.value,
    );
  });

  it('count a light load within a second', () => {
    expect(simulateCounters({ ...at, entriesPerSecond: 50, readers: 16 }).secondsBehind).toBeLessThan(1);
  });

  it('give the same numbers in every run', () => {
    expect(simulateCounters(at)).toEqual(simulateCounters(at));
  });
});

describe('the deliveries of one subscription', () => {
  it.each(goalsByTitle)('fit into their partitions at the load “%s”', (_, { perSecond, merchants }) => {
    const { partitions, busiestSecond } = simulateDeliveries(perSecond / merchants);
    expect(partitions).toBe(8);
    expect(busiestSecond).toBeLessThanOrEqual(quotas.partitionWrites.value);
  });

  it('put three sixteenths of their rows into the fullest partition', () => {
    expect(simulateDeliveries(1_000).busiestShare).toBeCloseTo(3 / 16, 2);
  });

  it('do not fit into their partitions at 2,000 purchases a second', () => {
    expect(simulateDeliveries(2_000).busiestSecond).toBeGreaterThan(quotas.partitionWrites.value);
  });
});

describe('the index of expiring claims', () => {
  it.each(goalsByTitle)('has enough capacity for the writes of the load “%s”', (_, { perSecond }) => {
    expect(simulateDueIndex(perSecond).busiestSecond).toBeLessThanOrEqual(quotas.partitionWrites.value);
  });

  it('spreads the claims of each minute over all shards', () => {
    expect(simulateDueIndex(100).keysPerMinute).toBeGreaterThanOrEqual(64);
  });
});

describe('the release of expired tokens', () => {
  const mostPerSecond = Math.floor(releasesPerSecond / scaleAssumptions.abandonedShare);

  it('keeps up with the load that the model computes', () => {
    expect(simulateSweep(mostPerSecond - 5)).toEqual({ waiting: 0, minutesLate: 0 });
  });

  it('becomes later and later above the computed load', () => {
    const [hour, day] = [60, 24 * 60].map((minutes) => simulateSweep(2 * mostPerSecond, minutes).minutesLate);
    expect(hour).toBeGreaterThan(20);
    expect(day).toBeGreaterThan(20 * (hour ?? 0));
  });
});
