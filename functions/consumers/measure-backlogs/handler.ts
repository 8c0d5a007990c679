import { measureBacklogs, measureBacklogsStores } from '../../../shared/operations/stream/measure-backlogs.ts';
import { scheduleConsumer } from '../../../shared/runtime/consumer.ts';
import { measure } from '../../../shared/runtime/metrics.ts';

/** Every five minutes: measures how many transactions and deliveries wait for partners. */
export const handler = scheduleConsumer(measureBacklogsStores, async (deps) => measure(await measureBacklogs(deps)));
