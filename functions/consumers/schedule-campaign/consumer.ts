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
    'Campaigns are not started and ended in time: partners are not told and lists show the old state. What is rewarded follows the schedule all the same.',
  timeoutSeconds: 30,
  access: { table: { campaign: ['GetItem'], partnership: ['GetItem'] } },
  schedules: true,
});
