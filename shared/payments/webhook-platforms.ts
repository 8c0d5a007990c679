import { adyen } from './adyen.ts';
import type { WebhookPlatform } from './platform.ts';
import { square } from './square.ts';

/** The payment platforms that send HTTPS webhooks, by name. All other payment platforms have an event source. */
export const webhookPlatforms: ReadonlyMap<string, WebhookPlatform> = new Map(
  [square, adyen].map((platform) => [platform.name, platform]),
);
