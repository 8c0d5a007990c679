import { defineConsumer } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'sweep-endpoints',
  source: { kind: 'schedule', every: 'rate(1 hour)' },
  impact: 'Endpoints whose timer was lost are not tried again. Other endpoints are not affected.',
  timeoutSeconds: 60,
  access: { table: {}, indexes: ['due'] },
  sendsTo: ['endpoint'],
});
