import { once } from '../../../shared/domain/memoize.ts';
import { sweepEndpoints, sweepEndpointsStores } from '../../../shared/operations/webhook/sweep-endpoints.ts';
import { scheduleConsumer } from '../../../shared/runtime/consumer.ts';
import { openEndpointQueue } from '../../../shared/runtime/ports.ts';
import { runtime } from '../../../shared/runtime/runtime.ts';

const endpointQueue = once(() => openEndpointQueue(runtime().config));

/** Every hour: queues the next run for every endpoint whose run is overdue, in case its timer was lost. */
export const handler = scheduleConsumer(sweepEndpointsStores, (deps) =>
  sweepEndpoints({ ...deps, endpointQueue: endpointQueue() }),
);
