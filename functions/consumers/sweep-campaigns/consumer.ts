import { defineConsumer } from '../../../shared/contracts/consumer.ts';
import { platformSource } from '../../../shared/contracts/events.ts';

export const consumer = defineConsumer({
  name: 'sweep-campaigns',
  source: { kind: 'schedule', every: 'rate(1 hour)' },
  impact:
    'Campaigns whose schedule was lost do not start or end: partners receive no event, and lists show the old state. Other campaigns are not affected.',
  timeoutSeconds: 60,
  access: { table: {}, indexes: ['due'] },
  publishes: [platformSource],
});
