import { busEvents, defineConsumer, PlatformEvent } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'claim-payments',
  ...busEvents(PlatformEvent, ['user_partner_authentication_created'], { retries: 10 }),
  impact: 'Members who link an account are not rewarded for payments that they made before.',
  access: {
    table: {
      user: ['Query'],
      unclaimedPayment: ['Query', 'DeleteItem'],
      outbox: ['PutItem'],
    },
  },
});
