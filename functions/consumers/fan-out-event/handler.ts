import { once } from '../../../shared/domain/memoize.ts';
import { fanOutEvent, fanOutEventStores } from '../../../shared/operations/webhook/fan-out-event.ts';
import { consumer } from '../../../shared/runtime/consumer.ts';
import { openDeliverQueue, openSlowDeliverQueue } from '../../../shared/runtime/ports.ts';
import { runtime } from '../../../shared/runtime/runtime.ts';
import { consumer as declaration } from './consumer.ts';

const queues = once(() => {
  const { config } = runtime();
  return { fastQueue: openDeliverQueue(config), slowQueue: openSlowDeliverQueue(config) };
});

/** Queues one message per endpoint that receives the event. */
export const handler = consumer(declaration, fanOutEventStores, (event, deps) =>
  fanOutEvent(event, { ...deps, ...queues() }),
);
