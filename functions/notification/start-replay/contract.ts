import * as z from 'zod/mini';
import { described } from '../../../shared/contracts/described.ts';
import { ReplayView, replayExample } from '../../../shared/http/views/webhook.ts';
import { announcingAccess, subscriptionContract, subscriptionParams } from '../../../shared/http/webhook-request.ts';
import { datetime, optional } from '../../../shared/http/wire.ts';

export const contract = subscriptionContract({
  name: 'start-replay',
  method: 'POST',
  path: '/webhooks/{subscription_id}/replays',
  summary: 'Send the deliveries since a time again, or count them (dry_run).',
  permission: 'webhooks:write',
  params: subscriptionParams,
  body: z.object({
    since: described('Events from this time on.', datetime),
    until: described('Events before this time; by default and at most the present.', optional(datetime)),
    state: described(
      'undelivered: deliveries whose attempts all failed. all: the delivered ones too.',
      z.enum(['undelivered', 'all']),
    ),
    dry_run: described('True: counts the deliveries only.', optional(z.boolean())),
  }),
  data: z.object({
    replay: described('The replay; null in the reply to a dry run.', z.nullable(ReplayView)),
    estimate: described(
      'In the reply to a dry run: the deliveries that a replay would send again.',
      z.nullable(
        z.object({
          deliveries: described('Number of deliveries that a replay would send again.', z.int()),
          has_more: described('True if there are more deliveries than were counted.', z.boolean()),
        }),
      ),
    ),
  }),
  refusals: { invalid_request: 400, replay_in_progress: 409 },
  errors: { ReplayInProgressError: 'replay_in_progress' },
  example: {
    request: { since: '2026-03-01T00:00:00.000Z', state: 'undelivered' },
    reply: {
      replay: replayExample,
      estimate: null,
    },
  },
  access: announcingAccess('Query'),
});
