import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { contracts } from '../../../functions/contracts.ts';
import { type CostPromise, costPromises, idempotencyKeyAdds } from '../../../shared/contracts/promises.ts';
import { call } from '../../../test/support/call.ts';
import { assemble } from '../../build/assembly.ts';
import type { DynamoDbCall } from '../../local/dynamodb/call.ts';
import { startDynamoDb } from '../../local/dynamodb/dynamodb.ts';
import { type Bundles, bundlesIn, folderOf, freshHandler } from '../bundles.ts';
import { conclude, type Row, save, table } from '../report.ts';
import { accept, brokenJourneyPromises, countJourneys, drift, journeyRows } from './journeys.ts';
import { scenarios, unmeasuredEndpoints } from './scenarios.ts';
import type { Scenario } from './world.ts';
import { type CostWorld, openCostWorld, requireSuccess } from './world.ts';

const directory = resolve('bench/out/cost');

/** `npm run bench cost`: the DynamoDB calls of every endpoint's requests, and all costs of a purchase. */
export async function benchCost(): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  const assembly = await assemble(directory);
  const costs = await benchEndpoints(bundlesIn(join(directory, 'dist'), contracts.map(folderOf)));
  console.log(table(costs.map(rowOf)));
  console.log(
    '\nrefused: calls whose condition failed; AWS charges their units, DynamoDB Local does not report them\n',
  );

  const present = await countJourneys(assembly, resolve(directory, 'platform'));
  console.log(table(journeyRows(present)));
  console.log(
    '\nfrom the request to the last webhook; alone: one at a time, busy: a hundred per second (docs/cost.md)',
  );
  await save('cost', { costs, ...present });
  const isAccepted = process.argv.includes('--accept');
  if (isAccepted) accept(present);
  conclude([
    ...unmeasuredEndpoints(),
    ...brokenPromises(costs),
    ...brokenJourneyPromises(present),
    ...(isAccepted ? [] : drift(present)),
  ]);
}

async function benchEndpoints(bundles: Bundles): Promise<Cost[]> {
  const dynamoDb = await startDynamoDb();
  const world = await openCostWorld({ dynamoDbEndpoint: dynamoDb.endpoint, bundles });
  try {
    return await measureCosts(world);
  } finally {
    await world.stop();
    await dynamoDb.stop();
  }
}

function rowOf(cost: Cost): Row {
  const { roundTrips, readUnits, writeUnits } = verdictsOn(cost);
  return {
    endpoint: cost.endpoint,
    case: cost.scenario,
    cache: cost.cache,
    calls: cost.calls,
    'round trips': cost.roundTrips,
    promised: promisedText(roundTrips),
    'read units': cost.readUnits,
    'promised ': promisedText(readUnits),
    'write units': cost.writeUnits,
    'promised  ': promisedText(writeUnits),
    refused: cost.refusedCalls,
  };
}

function promisedText({ promised, isKept }: Verdict): string {
  return promised === undefined ? '' : `<= ${promised}${isKept ? '' : ' BROKEN'}`;
}

/** Whether the function has the caller's credential in memory. */
type Cache = 'cold' | 'warm';

/** The cost of one request. */
export interface Cost {
  readonly endpoint: string;
  readonly scenario: string;
  readonly cache: Cache;
  readonly calls: number;
  /** The number of calls in the longest chain in which each call waits for the previous one. */
  readonly roundTrips: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Calls with a failed condition. AWS charges their units; DynamoDB Local does not report them. */
  readonly refusedCalls: number;
}

/** Measures every scenario twice: first in a new instance of the function, then in the same instance again. */
export async function measureCosts(world: CostWorld): Promise<Cost[]> {
  const costs: Cost[] = [];
  for (const scenario of scenarios) costs.push(...(await measure(world, scenario)));
  return costs;
}

async function measure(world: CostWorld, scenario: Scenario): Promise<Cost[]> {
  const { contract, prepare } = scenario;
  // The cold and the warm request are prepared before either is measured: the preparation takes time, and the function
  // keeps a credential in memory for a few seconds only.
  const requests = [
    { cache: 'cold', request: await prepare(world, 0) },
    { cache: 'warm', request: await prepare(world, 1) },
  ] as const;
  const handler = freshHandler(world.bundles, folderOf(contract));

  const costs: Cost[] = [];
  for (const { cache, request } of requests) {
    const before = world.calls.length;
    requireSuccess(contract, await call(handler, contract, request));
    const name = { endpoint: folderOf(contract), scenario: scenario.name, cache };
    costs.push({ ...name, ...costOf(world.calls.slice(before)) });
  }
  return costs;
}

function costOf(calls: readonly DynamoDbCall[]): Omit<Cost, 'endpoint' | 'scenario' | 'cache'> {
  const sum = (unit: 'readUnits' | 'writeUnits') => calls.reduce((total, made) => total + (made[unit] ?? 0), 0);
  return {
    calls: calls.length,
    roundTrips: roundTrips(calls),
    readUnits: sum('readUnits'),
    writeUnits: sum('writeUnits'),
    refusedCalls: calls.filter(({ status }) => status !== 200).length,
  };
}

/** The start and the end of a call, in milliseconds of one clock. Any clock will do. */
interface Interval {
  readonly startedAt: number;
  readonly endedAt: number;
}

/**
 * Counts the calls of the longest chain in which each call starts after the previous one has ended. Calls that overlap
 * count as one round trip.
 */
export function roundTrips(calls: readonly Interval[]): number {
  let trips = 0;
  let freeAt = Number.NEGATIVE_INFINITY;
  // Always takes the call that ends first, because it leaves the most time for later calls. This gives the longest
  // chain.
  for (const { startedAt, endedAt } of calls.toSorted((one, other) => one.endedAt - other.endedAt)) {
    if (startedAt < freeAt) continue;
    trips += 1;
    freeAt = endedAt;
  }
  return trips;
}

/** A measured figure beside the figure that is promised. */
interface Verdict {
  readonly figure: number;
  readonly promised: number | undefined;
  readonly isKept: boolean;
}

const verdict = (figure: number, promised: number | undefined): Verdict => ({
  figure,
  promised,
  isKept: promised === undefined || figure <= promised,
});

/** Compares round trips and units with their promises. */
function verdictsOn(cost: Cost): Readonly<Record<'roundTrips' | 'readUnits' | 'writeUnits', Verdict>> {
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

/** One line for each broken promise. */
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
