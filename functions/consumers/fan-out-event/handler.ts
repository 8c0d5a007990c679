import { once } from '../../../shared/domain/memoize.ts';
import { fanOutEvent, fanOutEventStores } from '../../../shared/operations/fan-out-event.ts';
import { consumer } from '../../../shared/runtime/consumer.ts';
import { openDeliverQueue } from '../../../shared/runtime/ports.ts';
import { runtime } from '../../../shared/runtime/runtime.ts';
import { consumer as declaration } from './consumer.ts';

const queue = once(() => openDeliverQueue(runtime().config));

/** Queues one message per endpoint that receives the event. */
export const handler = consumer(declaration, fanOutEventStores, (event, deps) =>
  fanOutEvent(event, { ...deps, queue: queue() }),
);
