import { once } from '../../../shared/domain/memoize.ts';
import { paymentEndpoint } from '../../../shared/http/payment-endpoint.ts';
import { openBus } from '../../../shared/runtime/ports.ts';
import { runtime } from '../../../shared/runtime/runtime.ts';
import { contract } from './contract.ts';

const bus = once(() => openBus(runtime().config));

/** Puts a signed webhook of a payment platform on the bus. */
export const handler = paymentEndpoint(contract, {}, async ({ body, caller }) => {
  const type = body.type ?? body.notificationItems?.[0]?.NotificationRequestItem.eventCode;
  await bus().publishWebhook({ ...caller.webhook, type: type || 'unknown' });
  return { notificationResponse: '[accepted]' };
});
