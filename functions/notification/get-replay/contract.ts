import * as z from 'zod/mini';
import { described } from '../../../shared/contracts/described.ts';
import { ReplayView, replayExample } from '../../../shared/http/views/webhook.ts';
import { replayParams, subscriptionContract } from '../../../shared/http/webhook-request.ts';

export const contract = subscriptionContract({
  name: 'get-replay',
  method: 'GET',
  path: '/webhooks/{subscription_id}/replays/{replay_id}',
  summary: 'Get the progress of a replay.',
  permission: 'webhooks:read',
  params: replayParams,
  data: z.object({ replay: described('The replay.', ReplayView) }),
  refusals: { replay_not_found: 404 },
  errors: { ReplayNotFoundError: 'replay_not_found' },
  notFound: 'replay_not_found',
  example: { reply: { replay: replayExample } },
  access: { table: { webhook: ['Query'], delivery: ['GetItem'] } },
});
