import { defineConsumer } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'retry-postings',
  source: { kind: 'schedule', every: 'rate(1 minute)' },
  impact: "Transactions that a partner's own program did not answer are not posted again: they stay pending.",
  timeoutSeconds: 60,
  access: { table: {}, indexes: ['due'] },
  sendsTo: ['program'],
});
