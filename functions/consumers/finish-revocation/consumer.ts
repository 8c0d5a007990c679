import { busEvents, defineConsumer, InternalEvent } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'finish-revocation',
  ...busEvents(InternalEvent, ['grant_revoked'], { retries: 10 }),
  impact:
    'If a function dies while it revokes a token family, the access tokens of that family work until they expire.',
  access: { table: { credential: ['BatchGetItem', 'UpdateItem'], grant: ['Query'] } },
});
