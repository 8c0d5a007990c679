import * as z from 'zod/mini';
import { described } from '../../../shared/contracts/described.ts';
import { subscriptionContract, subscriptionParams } from '../../../shared/http/webhook-request.ts';
import { datetime } from '../../../shared/http/wire.ts';

export const contract = subscriptionContract({
  name: 'rotate-salt',
  method: 'POST',
  path: '/webhooks/{subscription_id}/salt/rotate',
  summary:
    'Begin to replace the salt of a subscription. The new one signs beside the present one until it replaces it.',
  permission: 'webhooks:write',
  params: subscriptionParams,
  data: z.object({
    salt: described('The key of both webhook signatures. Shown once.', z.string()),
    standard_webhooks_secret: described('The same key in the notation of Standard Webhooks.', z.string()),
    activates_at: described('From this time on the new salt is the only one.', datetime),
  }),
  refusals: { rotation_in_progress: 409 },
  errors: { RotationRunningError: 'rotation_in_progress' },
  example: {
    reply: {
      salt: '5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f',
      standard_webhooks_secret: 'whsec_NWY1ZjVm',
      activates_at: '2026-03-03T09:30:00.000Z',
    },
  },
  access: { table: { webhook: ['Query', 'UpdateItem'] } },
});
