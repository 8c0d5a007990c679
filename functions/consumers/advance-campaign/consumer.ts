import { defineConsumer } from '../../../shared/contracts/consumer.ts';
import { CampaignDue, campaignDueName, platformSource } from '../../../shared/contracts/events.ts';

export const consumer = defineConsumer({
  name: 'advance-campaign',
  source: {
    kind: 'bus',
    pattern: { source: [platformSource], 'detail-type': [campaignDueName] },
    batchSize: 10,
    retries: 10,
  },
  message: CampaignDue,
  impact:
    'Campaigns do not start or end: partners receive no event, and lists show the old state. Rewards follow the schedule as usual.',
  timeoutSeconds: 30,
  access: {
    table: {
      campaign: ['GetItem', 'PutItem'],
      partnership: ['GetItem', 'PutItem'],
      organisation: ['PutItem'],
      outbox: ['PutItem'],
    },
  },
});
