import * as z from 'zod/mini';
import { defineContract, paymentSignature } from '../../../shared/contracts/contract.ts';
import { paymentSources } from '../../../shared/contracts/events.ts';
import { openFields, optional } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'base',
  name: 'receive-payment',
  method: 'POST',
  path: '/payments/{payment_platform}/{payment_account}',
  summary:
    'Receive a webhook of Square (platform `square`) or Adyen (platform `adyen`) for an account that is connected to a merchant. Called by the payment platform; a webhook that is repeated or replayed counts once.',
  credential: paymentSignature,
  params: z.object({ payment_platform: z.string(), payment_account: z.string() }),
  // The body goes to the bus as it arrived. This schema reads only the kind of the event: a type at Square, an event
  // code at Adyen. The other fields are the payment platform's own. The bus refuses a deeply nested body.
  body: z
    .looseObject({
      type: optional(z.string()),
      notificationItems: optional(
        z.array(z.looseObject({ NotificationRequestItem: z.looseObject({ eventCode: z.string() }) })),
      ),
    })
    .check(openFields),
  data: z.object({ notificationResponse: z.string() }),
  envelope: 'bare',
  errorField: 'error',
  refusals: {},
  example: {
    request: { type: 'payment.updated' },
    // Adyen requires this text in the body of the reply; Square reads only the status.
    reply: { notificationResponse: '[accepted]' },
  },
  access: { table: {} },
  publishes: [paymentSources.square, paymentSources.adyen],
});
