import { startDynamoDb } from '../../local/dynamodb/dynamodb.ts';
import { conclude, type Row, save, table } from '../report.ts';
import { type Cost, measureCosts } from './measure.ts';
import { unmeasuredEndpoints } from './scenarios.ts';
import { openStage } from './stage.ts';
import { brokenPromises, type Verdict, verdictsOn } from './verdict.ts';

/** `npm run bench cost`: what the requests of every endpoint cost in DynamoDB. */
export async function benchCost(): Promise<void> {
  const dynamoDb = await startDynamoDb();
  const stage = await openStage({ dynamoDbEndpoint: dynamoDb.endpoint, outdir: 'bench/out/cost-bundles' });
  try {
    const costs = await measureCosts(stage);
    console.log(table(costs.map(rowOf)));
    console.log('\nrefused: calls that a condition refused; AWS counts their units too, DynamoDB does not tell them');
    await save('cost', { costs });
    conclude([...unmeasuredEndpoints(), ...brokenPromises(costs)]);
  } finally {
    await stage.stop();
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
