import * as z from 'zod/mini';
import { defineContract, partnerKey } from '../../../shared/contracts/contract.ts';
import { described } from '../../../shared/contracts/described.ts';
import { SimulationBody } from '../../../shared/http/simulation-body.ts';
import { SimulatedCampaign } from '../../../shared/http/views/simulation.ts';
import { datetime } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'campaign',
  name: 'simulate-campaigns',
  method: 'POST',
  path: '/campaigns/simulate',
  summary:
    "Simulate the caller's campaigns for a user and an event of endpoint 1, 3 or 11, now or at another time. Writes nothing.",
  credential: partnerKey,
  permission: 'campaigns:read',
  body: SimulationBody,
  data: z.object({
    simulated_at: described('The time that the campaigns were simulated for.', datetime),
    campaigns: described('The campaigns that were tried, each with its outcome.', z.array(SimulatedCampaign)),
  }),
  refusals: {
    invalid_request: 400,
    user_does_not_exist: 404,
    partnership_does_not_exist: 404,
    campaign_does_not_exist: 404,
  },
  errors: {
    UserNotFoundError: 'user_does_not_exist',
    PartnershipNotFoundError: 'partnership_does_not_exist',
    CampaignNotFoundError: 'campaign_does_not_exist',
  },
  example: {
    request: { external_user_id: 'customer-1001', transaction_amount: 20, now: '2026-03-02T09:30:00Z' },
    reply: {
      simulated_at: '2026-03-02T09:30:00.000Z',
      campaigns: [
        {
          campaign_id: 7,
          campaign_version: 1,
          name: 'Two points a dollar',
          campaign_type: 1,
          merchant_id: 1,
          partner_id: 2,
          is_rewarded: 0,
          reason: 'not_qualified',
          rewards: [],
          flows: [
            {
              id: 1,
              result: 'not_qualified',
              condition_groups: [
                {
                  id: 2,
                  or_and_operator: 1,
                  holds: 0,
                  conditions: [
                    {
                      id: 3,
                      campaign_condition_type: 3,
                      condition_operator: 3,
                      condition_attribute: null,
                      holds: 0,
                      actual: 20,
                      needed: 25.5,
                    },
                  ],
                },
              ],
              multipliers: [],
              limits: [],
              counted_cents: null,
              actions: [],
            },
          ],
        },
      ],
    },
  },
  access: {
    table: { externalUser: ['GetItem'], user: ['Query'], partnership: ['GetItem'] },
    indexes: ['byMerchant', 'byPartner'],
  },
});
