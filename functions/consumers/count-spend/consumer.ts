import { defineConsumer } from '../../../shared/contracts/consumer.ts';
import { partitions } from '../../../shared/contracts/table.ts';

/** Items of a partition as they are after a change that brought them into one of some states. */
const inStates = (partition: string, states: readonly string[]) => ({
  dynamodb: { Keys: { pk: { S: [{ prefix: partition }] } }, NewImage: { state: { S: states } } },
});

export const consumer = defineConsumer({
  name: 'count-spend',
  source: {
    kind: 'stream',
    filters: [inStates(partitions.claim, ['SPENT']), inStates(partitions.order, ['PROCESSED', 'REJECTED'])],
    batchSize: 100,
  },
  impact:
    'What members spent stands still: campaigns that ask for total spend reward some of them later than they should.',
  timeoutSeconds: 30,
  access: { table: { countedSpend: ['PutItem'], user: ['Query', 'UpdateItem'] } },
});
