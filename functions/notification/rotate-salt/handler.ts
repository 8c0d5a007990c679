import { endpoint } from '../../../shared/http/endpoint.ts';
import { endpointRequestOf } from '../../../shared/http/webhook-request.ts';
import { findEndpointStores } from '../../../shared/operations/webhook/find-endpoint.ts';
import { type NewSalt, rotateSalt } from '../../../shared/operations/webhook/rotate-salt.ts';
import { standardWebhooksSecret } from '../../../shared/webhooks/delivery-request.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, findEndpointStores, ({ params, caller, replyWith }) =>
  replyWith(
    ({ salt, activatesAt }: NewSalt) => ({
      salt,
      standard_webhooks_secret: standardWebhooksSecret(salt),
      activates_at: activatesAt,
    }),
    (deps) => rotateSalt(endpointRequestOf(caller, params), deps),
  ),
);
