import { subscriptionEndpoint } from '../../../shared/http/subscription-endpoint.ts';
import { overviewReply } from '../../../shared/http/views/webhook.ts';
import { getEndpoint } from '../../../shared/operations/webhook/get-endpoint.ts';
import { contract } from './contract.ts';

export const handler = subscriptionEndpoint(contract, overviewReply, getEndpoint);
