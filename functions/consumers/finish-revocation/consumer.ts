import { busEvents, defineConsumer, InternalEvent } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'finish-revocation',
  ...busEvents(InternalEvent, ['grant_revoked'], { retries: 10 }),
  impact: 'Access tokens of a family that was revoked while its function died work until they expire.',
  access: { table: { credential: ['BatchGetItem', 'UpdateItem'], grant: ['Query'] } },
});
