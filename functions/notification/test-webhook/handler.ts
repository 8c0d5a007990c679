import { subscriptionEndpoint } from '../../../shared/http/subscription-endpoint.ts';
import { deliveryReply } from '../../../shared/http/views/webhook.ts';
import { sendTestEvent } from '../../../shared/operations/webhook/send-test-event.ts';
import { contract } from './contract.ts';

export const handler = subscriptionEndpoint(contract, deliveryReply, sendTestEvent);
