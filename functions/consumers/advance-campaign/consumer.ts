import { busEvents, CampaignDue, campaignDueName, defineConsumer } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'advance-campaign',
  ...busEvents(CampaignDue, [campaignDueName], { retries: 10 }),
  impact:
    'Campaigns do not start or end: partners receive no event, and lists show the old state. Rewards follow the schedule as usual.',
  access: {
    table: {
      campaign: ['GetItem', 'PutItem'],
      partnership: ['GetItem', 'PutItem'],
      organisation: ['PutItem', 'DeleteItem'],
      outbox: ['PutItem'],
    },
  },
});
