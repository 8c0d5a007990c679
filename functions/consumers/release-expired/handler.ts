import { releaseExpired, releaseExpiredStores } from '../../../shared/operations/token/release-expired.ts';
import { scheduleConsumer } from '../../../shared/runtime/consumer.ts';

/** Every minute: cancels tokens that expired unused and releases their reservations. */
export const handler = scheduleConsumer(releaseExpiredStores, releaseExpired);
