import * as z from 'zod/mini';
import { defineContract } from '../../../shared/contracts/contract.ts';
import { partnerKey } from '../../../shared/contracts/credential-schemes.ts';
import { PartnershipView } from '../../../shared/http/views/partnership.ts';
import { pathId } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'base',
  name: 'get-partnership',
  method: 'GET',
  path: '/partnerships/{id}',
  summary: 'Endpoint 6: get a partnership by UUID, with a partner key.',
  credential: partnerKey,
  permission: 'partnerships:read',
  params: z.object({ id: pathId }),
  data: z.object({ partnership: PartnershipView }),
  errorField: 'error',
  refusals: { partnership_does_not_exist: 404 },
  notFound: 'partnership_does_not_exist',
  example: {
    reply: {
      partnership: {
        uuid_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e01',
        name: 'Sky Miles at Corner Store',
        description: null,
        img: null,
        merchant_id: 1,
        related_partner_id: null,
        partner_id: 2,
        is_active: 1,
        is_deleted: 0,
        owner_id: 1,
        total_rewards_earned: 1270,
        total_rewards_redeemed: 0,
        total_cashback_cents: 0,
        num_of_transactions: 10,
        is_demo: 0,
        created_date: '2025-12-01T08:00:00.000Z',
        campaigns: [
          {
            id: 7,
            name: 'Two points a dollar',
            description: 'Two points for every dollar, and half as much again for gold members.',
            campaign_logo: null,
            campaign_type: 1,
            trigger_type: 1,
            merchant_id: 1,
            partner_id: 2,
            base_reward: 2,
            start_date: '2026-01-01T00:00:00.000Z',
            end_date: null,
            total_rewards: 1270,
            total_cashback_cents: 0,
            total_registrations: 0,
            goals: [],
            is_active: 1,
            is_deleted: 0,
            owner_id: 1,
            created_date: '2025-12-15T10:00:00.000Z',
          },
        ],
      },
    },
  },
  access: { table: { partnership: ['Query'] } },
});
