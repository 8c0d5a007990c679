import { defineConsumer } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'measure-backlogs',
  source: { kind: 'schedule', every: 'rate(5 minutes)' },
  impact: 'The dashboard shows no pending transactions and parked deliveries. Members and partners are not affected.',
  timeoutSeconds: 60,
  access: { table: { delivery: ['Query'] }, indexes: ['due'] },
});
