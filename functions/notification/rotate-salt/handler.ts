import { subscriptionEndpoint } from '../../../shared/http/subscription-endpoint.ts';
import { rotateSalt } from '../../../shared/operations/webhook/rotate-salt.ts';
import { standardWebhooksSecret } from '../../../shared/webhooks/delivery-request.ts';
import { contract } from './contract.ts';

export const handler = subscriptionEndpoint(
  contract,
  ({ salt, activatesAt }) => ({
    salt,
    standard_webhooks_secret: standardWebhooksSecret(salt),
    activates_at: activatesAt,
  }),
  rotateSalt,
);
