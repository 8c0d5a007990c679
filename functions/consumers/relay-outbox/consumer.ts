import { defineConsumer } from '../../../shared/contracts/consumer.ts';
import { partitions } from '../../../shared/contracts/table.ts';

export const consumer = defineConsumer({
  name: 'relay-outbox',
  source: {
    kind: 'stream',
    filters: [{ eventName: ['INSERT'], dynamodb: { Keys: { pk: { S: [{ prefix: partitions.outbox }] } } } }],
    batchSize: 100,
  },
  impact:
    'Nothing that happens is told to anybody: no webhook, no completion of a reward. Events wait in the stream for 24 hours.',
  timeoutSeconds: 30,
  access: { table: {} },
  publishes: true,
});
