import { busEvents, campaignDueName, defineConsumer, InternalEvent } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'schedule-campaign',
  ...busEvents(InternalEvent, ['campaign_scheduled'], { retries: 10 }),
  impact:
    'Campaigns start and end late: partners receive their events late, and lists show the old state. Rewards follow the schedule as usual.',
  access: { table: { campaign: ['GetItem'], partnership: ['GetItem'] } },
  schedules: campaignDueName,
});
