import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { contracts } from '../../../functions/contracts.ts';
import { type CostPromise, costPromises, idempotencyKeyAdds } from '../../../shared/contracts/promises.ts';
import { call } from '../../../test/support/call.ts';
import { assemble } from '../../build/assembly.ts';
import { journeyNames } from '../../cost/counted.ts';
import type { DynamoDbCall } from '../../local/dynamodb/call.ts';
import { startDynamoDb } from '../../local/dynamodb/dynamodb.ts';
import { type Bench, promiseWithout, type RunOptions } from '../bench.ts';
import { bundlesIn, folderOf, freshHandler } from '../bundles.ts';
import { folder, type Row, save, table } from '../report.ts';
import { accept, countJourneys, drift, journeyPromises, journeyRows } from './journeys.ts';
import { scenarios, unmeasuredEndpoints } from './scenarios.ts';
import type { Scenario } from './world.ts';
import { type CostWorld, type CostWorldOptions, openCostWorld, requireSuccess } from './world.ts';

const directory = resolve(folder, 'cost');
/** A quick run does not wait until parallel calls overlap: it counts some of them as round trips of their own. */
const quickDelayMs = 5;
/** The journeys in addition to a purchase, and the purchases before it. */
const allJourneys = { names: journeyNames.filter((name) => name !== 'purchase'), warmUps: 2 };
const quickJourneys = { names: [], warmUps: 0 };
const driftPromise = 'the counts are accepted (`-- --accept` accepts them, then `npm run docs`)';
/** A quick run measures these endpoints. */
const quickEndpoints = ['reward/authenticate-transaction', 'base/get-partnership'];

/** `npm run bench cost`: the DynamoDB calls of every endpoint's requests, and all costs of a purchase. */
export const bench: Bench = {
  name: 'cost',
  about: 'round trips and capacity units of every endpoint, and everything that a purchase costs',
  async run(options) {
    const { quick } = options;
    const isAccepted = options.args.includes('--accept');
    if (isAccepted && quick) throw new Error('--accept needs all counts: leave out --quick');
    await rm(directory, { recursive: true, force: true });
    const { costs, journeys } = await measureAll(options);
    if (isAccepted) accept(journeys);
    return [
      promiseWithout(unmeasuredEndpoints(), 'every endpoint is measured'),
      promiseWithout(brokenPromises(costs), 'every request costs at most its promised round trips and units'),
      ...journeyPromises(journeys),
      ...(isAccepted || quick ? [] : [promiseWithout(drift(journeys), driftPromise)]),
    ];
  },
};

/** Measures endpoints and journeys, and prints their tables. A quick run measures a few of them. */
async function measureAll({ quick, assembled }: RunOptions) {
  const built = assembled === undefined ? directory : resolve(assembled);
  const assembly = assembled === undefined ? await assemble(directory, { dashboard: false }) : join(built, 'cdk.out');
  const measured = quick ? scenarios.filter(({ contract }) => quickEndpoints.includes(folderOf(contract))) : scenarios;
  const dynamodb = await startDynamoDb();
  try {
    const bundles = bundlesIn(join(built, 'dist'), contracts.map(folderOf));
    const options = { dynamoDbEndpoint: dynamodb.endpoint, bundles, ...(quick && { delayMs: quickDelayMs }) };
    const costs = await benchEndpoints(options, measured);
    console.log(table(costs.map(rowOf)));
    console.log(
      '\nrefused: calls whose condition failed; AWS charges their units, DynamoDB Local does not report them\n',
    );

    const stateDirectory = join(directory, 'platform');
    const journeys = await countJourneys({
      assembly,
      stateDirectory,
      dynamodb,
      ...(quick ? quickJourneys : allJourneys),
    });
    console.log(table(journeyRows(journeys)));
    console.log(
      '\nfrom the request to the last webhook; alone: one at a time, busy: a hundred per second (docs/cost.md)',
    );
    await save('cost', { costs, ...journeys });
    return { costs, journeys };
  } finally {
    await dynamodb.stop();
  }
}

async function benchEndpoints(options: CostWorldOptions, measured: readonly Scenario[]): Promise<Cost[]> {
  const world = await openCostWorld(options);
  try {
    return await measureCosts(world, measured);
  } finally {
    await world.stop();
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

/** Measures each scenario twice: first in a new instance of the function, then in the same instance again. */
export async function measureCosts(world: CostWorld, measured = scenarios): Promise<Cost[]> {
  const costs: Cost[] = [];
  for (const scenario of measured) costs.push(...(await measure(world, scenario)));
  return costs;
}

/** On a busy machine, parallel calls do not always overlap. So what breaks a promise is measured a second time. */
async function measure(world: CostWorld, scenario: Scenario): Promise<Cost[]> {
  const costs = await measureOnce(world, scenario, 0);
  return brokenPromises(costs).length === 0 ? costs : measureOnce(world, scenario, 2);
}

/** @param nth the number of requests of the scenario that were measured before */
async function measureOnce(world: CostWorld, scenario: Scenario, nth: number): Promise<Cost[]> {
  const { contract, prepare } = scenario;
  // The cold and the warm request are prepared before either is measured: the preparation takes time, and the function
  // keeps a credential in memory for a few seconds only.
  const requests = [
    { cache: 'cold', request: await prepare(world, nth) },
    { cache: 'warm', request: await prepare(world, nth + 1) },
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
