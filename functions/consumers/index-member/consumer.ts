import { busEvents, defineConsumer, PlatformEvent } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'index-member',
  ...busEvents(PlatformEvent, ['user_partner_authentication_created'], { retries: 10 }),
  impact: 'Operators do not find new members by e-mail, phone or name. Members are not affected.',
  access: {
    table: {
      user: ['Query'],
      memberIndex: ['PutItem'],
    },
  },
});
