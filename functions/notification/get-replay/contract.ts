import * as z from 'zod/mini';
import { defineContract, notificationPartnerKey } from '../../../shared/contracts/contract.ts';
import { ReplayView } from '../../../shared/http/views/webhook.ts';
import { endpointErrors, endpointRefusals, subscriptionParams } from '../../../shared/http/webhook-request.ts';
import { pathId } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'notification',
  name: 'get-replay',
  method: 'GET',
  path: '/webhooks/{subscription_id}/replays/{replay_id}',
  summary: 'Get the progress of a replay.',
  credential: notificationPartnerKey,
  permission: 'webhooks:read',
  params: z.object({ ...subscriptionParams, replay_id: pathId }),
  data: z.object({ replay: ReplayView }),
  errorField: 'error',
  refusals: { ...endpointRefusals, replay_not_found: 404 },
  errors: { ...endpointErrors, ReplayNotFoundError: 'replay_not_found' },
  notFound: 'replay_not_found',
  example: {
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
    },
  },
  access: { table: { webhook: ['Query'], delivery: ['GetItem'] } },
});
