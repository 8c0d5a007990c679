import { once } from '../../../shared/domain/memoize.ts';
import { deliverWebhook, deliverWebhookStores } from '../../../shared/operations/deliver-webhook.ts';
import { consumer } from '../../../shared/runtime/consumer.ts';
import { openDeliverQueue } from '../../../shared/runtime/ports.ts';
import { runtime } from '../../../shared/runtime/runtime.ts';
import { createPoster } from '../../../shared/webhooks/post.ts';
import { consumer as declaration } from './consumer.ts';

const ports = once(() => {
  const { config, now } = runtime();
  return {
    queue: openDeliverQueue(config),
    poster: createPoster({ policy: { httpHosts: config.webhookHttpHosts }, now }),
    randomShare: Math.random,
  };
});

/** Makes one attempt per message. */
export const handler = consumer(declaration, deliverWebhookStores, (message, deps) =>
  deliverWebhook(message, { ...deps, ...ports() }),
);
