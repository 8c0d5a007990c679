import { defineConsumer } from '../../../shared/contracts/consumer.ts';
import { PlatformEvent, platformSource } from '../../../shared/contracts/events.ts';

export const consumer = defineConsumer({
  name: 'process-registration',
  source: {
    kind: 'bus',
    pattern: { source: [platformSource], 'detail-type': ['user_partner_authentication_created'] },
    batchSize: 10,
    retries: 5,
  },
  message: PlatformEvent,
  impact: 'Registrations and referrals are not rewarded. Members can still link accounts.',
  timeoutSeconds: 30,
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
