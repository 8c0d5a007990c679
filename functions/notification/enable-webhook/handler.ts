import { subscriptionEndpoint } from '../../../shared/http/subscription-endpoint.ts';
import { subscriptionReply } from '../../../shared/http/views/webhook.ts';
import { enableEndpoint } from '../../../shared/operations/webhook/enable-endpoint.ts';
import { contract } from './contract.ts';

export const handler = subscriptionEndpoint(contract, subscriptionReply, enableEndpoint);
