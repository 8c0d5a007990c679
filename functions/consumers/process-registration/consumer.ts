import { busEvents, defineConsumer, PlatformEvent } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'process-registration',
  ...busEvents(PlatformEvent, ['user_partner_authentication_created'], { retries: 5 }),
  impact: 'Registrations and referrals are not rewarded. Members can still link accounts.',
  access: {
    table: {
      user: ['Query', 'UpdateItem'],
      externalUser: ['GetItem'],
      claim: ['PutItem'],
      transaction: ['PutItem'],
      outbox: ['PutItem'],
    },
    indexes: ['byMerchant'],
  },
});
