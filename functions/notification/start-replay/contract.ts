import * as z from 'zod/mini';
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
    since: datetime,
    /** The end of the period whose deliveries are replayed; now by default. */
    until: optional(datetime),
    state: z.enum(['undelivered', 'all']),
    dry_run: optional(z.boolean()),
  }),
  data: z.object({
    /** Null in the reply to a dry run. */
    replay: z.nullable(ReplayView),
    /** The deliveries that a replay would send; null unless this is a dry run. */
    estimate: z.nullable(z.object({ deliveries: z.int(), has_more: z.boolean() })),
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
