import { subscriptionEndpoint } from '../../../shared/http/subscription-endpoint.ts';
import { replayReply } from '../../../shared/http/views/webhook.ts';
import { getReplay } from '../../../shared/operations/webhook/start-replay.ts';
import { contract } from './contract.ts';

export const handler = subscriptionEndpoint(contract, replayReply, (request, deps, { replay_id: replayId }) =>
  getReplay({ ...request, replayId }, deps),
);
