import * as z from 'zod/mini';
import { bearer, defineContract } from '../../../shared/contracts/contract.ts';
import { described } from '../../../shared/contracts/described.ts';
import { Cursors, pageQuery } from '../../../shared/http/paging.ts';
import { CampaignTemplate } from '../../../shared/http/views/campaign-template.ts';

export const contract = defineContract({
  host: 'campaign',
  name: 'list-templates',
  method: 'GET',
  path: '/templates',
  summary: "Endpoint 10: list the caller's campaign templates and those for all organisations, with a bearer token.",
  credential: bearer,
  permission: 'templates:read',
  query: z.object(pageQuery),
  data: z.object({
    campaigns: described('The templates of the page.', z.array(CampaignTemplate)),
    cursor: described('The cursors of the next and the previous page. As a parameter, one of them.', Cursors),
  }),
  envelope: 'bare',
  refusals: { invalid_request: 400 },
  example: {
    reply: {
      campaigns: [
        {
          id: 9,
          name: 'Welcome',
          campaign_type: 1,
          created_date: '2026-03-02T09:30:00.000Z',
          description: 'Points for a first visit.',
          campaign_logo: null,
          merchant_id: null,
          partner_id: null,
          partnership_id: null,
          is_active: 0,
          is_deleted: 0,
          start_date: null,
          end_date: null,
          activation_date: null,
          owner_id: 0,
          is_template: 1,
          template_id: null,
          total_rewards: 0,
          campaign_flows: [
            {
              id: 91,
              campaign_id: 9,
              trigger_type: 1,
              is_active: 1,
              is_deleted: 0,
              created_date: '2026-03-02T09:30:00.000Z',
              custom_trigger_id: null,
              amount_field: null,
              actions: [{ id: 911, action_type: 1, partner_id: 0, base_reward: 2, extra_data: {} }],
              conditions: [
                {
                  id: 912,
                  partner_id: 0,
                  campaign_condition_type: 3,
                  condition_operator: 3,
                  or_and_operator: 1,
                  condition_group_id: 1,
                  condition_attribute: null,
                  condition_value: 20,
                },
              ],
              multipliers: [
                {
                  id: 913,
                  partner_id: 0,
                  multiplier_attribute_type: 1,
                  multiplier_attribute: null,
                  multiplier_operator: 1,
                  multiplier_amount: 1.5,
                  multiplier_value: [1],
                },
              ],
              limits: [
                {
                  id: 914,
                  partner_id: 0,
                  limit_type: 2,
                  min_max: 2,
                  campaign_limit_value: 1000,
                  campaign_limit_trigger_type: 2,
                  campaign_limit_trigger_time_range: 3,
                },
              ],
            },
          ],
          goals: [{ id: 92, partner_id: 0, goal_type: 1, goal_value: 500, goal_operator: 3 }],
        },
      ],
      cursor: { next: null, prev: null },
    },
  },
  access: { table: { organisation: ['Query'], platformKey: ['GetItem', 'PutItem'] } },
});
