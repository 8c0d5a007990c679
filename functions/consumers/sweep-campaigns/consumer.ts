import { defineConsumer } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'sweep-campaigns',
  source: { kind: 'schedule', every: 'rate(1 hour)' },
  impact:
    'Campaigns whose schedule was lost are not started or ended: partners are not told and lists show the old state. All others are not concerned.',
  timeoutSeconds: 60,
  access: { table: {}, indexes: ['due'] },
  publishes: true,
});
