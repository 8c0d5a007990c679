import { defineConsumer } from '../../../shared/contracts/consumer.ts';
import { partitions } from '../../../shared/contracts/table.ts';

export const consumer = defineConsumer({
  name: 'count-totals',
  source: {
    kind: 'stream',
    filters: [{ eventName: ['INSERT'], dynamodb: { Keys: { pk: { S: [{ prefix: partitions.ledger }] } } } }],
    batchSize: 100,
  },
  impact: 'Totals of campaigns and partnerships stand still. No reward is affected.',
  timeoutSeconds: 30,
  access: { table: { counted: ['PutItem'], partnership: ['UpdateItem'] } },
});
