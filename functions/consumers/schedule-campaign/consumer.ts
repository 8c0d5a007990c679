import { defineConsumer } from '../../../shared/contracts/consumer.ts';
import { InternalEvent, platformSource } from '../../../shared/contracts/events.ts';

export const consumer = defineConsumer({
  name: 'schedule-campaign',
  source: {
    kind: 'bus',
    pattern: { source: [platformSource], 'detail-type': ['campaign_scheduled'] },
    batchSize: 10,
    retries: 10,
  },
  message: InternalEvent,
  impact:
    'Campaigns start and end late: partners receive their events late, and lists show the old state. Rewards follow the schedule as usual.',
  timeoutSeconds: 30,
  access: { table: { campaign: ['GetItem'], partnership: ['GetItem'] } },
  schedules: true,
});
