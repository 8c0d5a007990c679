import { call } from '../../../test/support/call.ts';
import type { DynamoDbCall } from '../../local/dynamodb/call.ts';
import { folderOf, freshHandler } from '../bundles.ts';
import { roundTrips } from './round-trips.ts';
import type { Scenario } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import { type Stage, succeeded } from './stage.ts';

/** Whether the function had the caller's credential in its memory. */
type Cache = 'cold' | 'warm';

/** What one request took. */
export interface Cost {
  readonly endpoint: string;
  readonly scenario: string;
  readonly cache: Cache;
  readonly calls: number;
  /** One after the other. */
  readonly roundTrips: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Calls that a condition refused: AWS counts their units too, DynamoDB does not tell them. */
  readonly refusedCalls: number;
}

/** Measures every scenario, first in a new instance of the function and then again in the same one. */
export async function measureCosts(stage: Stage): Promise<Cost[]> {
  const costs: Cost[] = [];
  for (const scenario of scenarios) costs.push(...(await measure(stage, scenario)));
  return costs;
}

async function measure(stage: Stage, scenario: Scenario): Promise<Cost[]> {
  const { contract, prepare } = scenario;
  // Both first: a credential is remembered for a few seconds only.
  const requests = [
    { cache: 'cold', request: await prepare(stage, 0) },
    { cache: 'warm', request: await prepare(stage, 1) },
  ] as const;
  const handler = freshHandler(stage.bundles, folderOf(contract));

  const costs: Cost[] = [];
  for (const { cache, request } of requests) {
    const before = stage.calls.length;
    succeeded(contract, await call(handler, contract, request));
    const name = { endpoint: folderOf(contract), scenario: scenario.name, cache };
    costs.push({ ...name, ...costOf(stage.calls.slice(before)) });
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
