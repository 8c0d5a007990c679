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
  impact: 'Nobody is rewarded for having linked an account for the first time, nor for having brought a member.',
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
