import { openDeliverQueue, openTable } from '../../../shared/runtime/clients.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { consume } from '../../../shared/runtime/consume.ts';
import { once } from '../../../shared/runtime/once.ts';
import { Deliveries } from '../../../shared/store/webhook/deliveries.ts';
import { Subscriptions } from '../../../shared/store/webhook/subscriptions.ts';
import { DeliveryMessage } from '../../../shared/webhooks/delivery-message.ts';
import { createPoster } from '../../../shared/webhooks/post.ts';
import { type Delivering, deliver } from './deliver.ts';

const delivering = once((): Delivering => {
  const config = readConfig(process.env);
  const table = openTable(config);
  const now = () => new Date();
  return {
    subscriptions: new Subscriptions(table),
    deliveries: new Deliveries(table),
    queue: openDeliverQueue(config),
    poster: createPoster({ policy: { httpHosts: config.webhookHttpHosts }, now }),
    now,
    random: Math.random,
  };
});

/** Makes one attempt for each message. */
export const handler = consume({ message: DeliveryMessage, deps: delivering, handle: deliver });
