import * as z from 'zod/mini';
import { defineContract, paymentSignature } from '../../../shared/contracts/contract.ts';
import { described } from '../../../shared/contracts/described.ts';
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
  params: z.object({
    payment_platform: described('square or adyen.', z.string()),
    payment_account: described('Id of the account at the payment platform.', z.string()),
  }),
  // The body goes to the bus as it arrived. This schema reads only the kind of the event: a type at Square, an event
  // code at Adyen. The other fields are the payment platform's own. The bus refuses a deeply nested body.
  body: z
    .looseObject({
      type: described('Type of the event.', optional(z.string())),
      notificationItems: described(
        'The notifications of Adyen; absent at Square.',
        optional(
          z.array(
            z.looseObject({
              NotificationRequestItem: described(
                'The notification.',
                z.looseObject({ eventCode: described("Adyen's code of the event.", z.string()) }),
              ),
            }),
          ),
        ),
      ),
    })
    .check(openFields),
  data: z.object({ notificationResponse: described('The text that Adyen requires.', z.string()) }),
  envelope: 'bare',
  refusals: {},
  example: {
    request: { type: 'payment.updated' },
    // Adyen requires this text in the body of the reply; Square reads only the status.
    reply: { notificationResponse: '[accepted]' },
  },
  access: { table: {} },
  publishes: [paymentSources.square, paymentSources.adyen],
});
