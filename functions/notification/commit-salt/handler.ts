import { subscriptionEndpoint } from '../../../shared/http/subscription-endpoint.ts';
import { subscriptionReply } from '../../../shared/http/views/webhook.ts';
import { commitSalt } from '../../../shared/operations/webhook/rotate-salt.ts';
import { contract } from './contract.ts';

export const handler = subscriptionEndpoint(contract, subscriptionReply, commitSalt);
