import { defineConsumer } from '../../../shared/contracts/consumer.ts';
import { partitions } from '../../../shared/contracts/table.ts';

const keyIn = (partition: string) => ({ pk: { S: [{ prefix: partition }] } });

/** The items of a partition after a change that brought them into one of some states. */
const inStates = (partition: string, states: readonly string[]) => ({
  dynamodb: { Keys: keyIn(partition), NewImage: { state: { S: states } } },
});

/** One consumer for all counters: of more than two readers of a stream, AWS throttles some. */
export const consumer = defineConsumer({
  name: 'count-changes',
  source: {
    kind: 'stream',
    filters: [
      { eventName: ['INSERT'], dynamodb: { Keys: keyIn(partitions.ledger) } },
      inStates(partitions.claim, ['SPENT']),
      inStates(partitions.order, ['PROCESSED', 'REJECTED']),
    ],
    batchSize: 100,
  },
  impact:
    'Totals of campaigns and partnerships stay as they are. The spend of members stays as it is: campaigns that require a total spend reward some members too late.',
  timeoutSeconds: 30,
  access: {
    table: {
      counted: ['PutItem'],
      countedSpend: ['PutItem'],
      partnership: ['UpdateItem'],
      user: ['Query', 'UpdateItem'],
    },
  },
});
