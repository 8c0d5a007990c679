import { once } from '../../../shared/domain/memoize.ts';
import { consumer } from '../../../shared/runtime/consumer.ts';
import { openDeliverQueue } from '../../../shared/runtime/ports.ts';
import { runtime } from '../../../shared/runtime/runtime.ts';
import { Deliveries } from '../../../shared/store/webhook/deliveries.ts';
import { Subscriptions } from '../../../shared/store/webhook/subscriptions.ts';
import { createPoster } from '../../../shared/webhooks/post.ts';
import { consumer as declaration } from './consumer.ts';
import { deliver } from './deliver.ts';

const ports = once(() => {
  const { config, now } = runtime();
  return {
    queue: openDeliverQueue(config),
    poster: createPoster({ policy: { httpHosts: config.webhookHttpHosts }, now }),
    random: Math.random,
  };
});

/** Makes one attempt for each message. */
export const handler = consumer(
  declaration,
  { subscriptions: Subscriptions, deliveries: Deliveries },
  (message, deps) => deliver(message, { ...deps, ...ports() }, deps.log),
);
