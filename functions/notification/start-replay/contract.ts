import * as z from 'zod/mini';
import { defineContract, notificationPartnerKey } from '../../../shared/contracts/contract.ts';
import { ReplayView } from '../../../shared/http/views/webhook.ts';
import {
  announcingAccess,
  endpointErrors,
  endpointRefusals,
  subscriptionParams,
} from '../../../shared/http/webhook-request.ts';
import { datetime, optional } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'notification',
  name: 'start-replay',
  method: 'POST',
  path: '/webhooks/{subscription_id}/replays',
  summary: 'Send the deliveries since a time again, or count them (dry_run).',
  credential: notificationPartnerKey,
  permission: 'webhooks:write',
  params: z.object({ ...subscriptionParams }),
  body: z.object({
    since: datetime,
    /** Now by default. */
    until: optional(datetime),
    state: z.enum(['undelivered', 'all']),
    dry_run: optional(z.boolean()),
  }),
  data: z.object({
    /** Null in the reply to a dry run. */
    replay: z.nullable(ReplayView),
    /** What a replay would send; null unless this is a dry run. */
    estimate: z.nullable(z.object({ deliveries: z.int(), has_more: z.boolean() })),
  }),
  errorField: 'error',
  refusals: { ...endpointRefusals, invalid_request: 400, replay_in_progress: 409 },
  errors: { ...endpointErrors, ReplayInProgressError: 'replay_in_progress' },
  notFound: 'subscription_not_found',
  example: {
    request: { since: '2026-03-01T00:00:00.000Z', state: 'undelivered' },
    reply: {
      replay: {
        replay_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e21',
        state: 'running',
        selection: 'undelivered',
        since: '2026-03-01T00:00:00.000Z',
        until: '2026-03-02T09:30:00.000Z',
        replayed_deliveries: 0,
        created_date: '2026-03-02T09:30:00.000Z',
        last_updated_date: '2026-03-02T09:30:00.000Z',
      },
      estimate: null,
    },
  },
  access: announcingAccess,
});
