import * as z from 'zod/mini';
import { defineContract, partnerKey } from '../../../shared/contracts/contract.ts';
import { described } from '../../../shared/contracts/described.ts';
import { listedExample } from '../../../shared/http/views/campaign.ts';
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
  params: z.object({ id: described('UUID of the partnership.', pathId) }),
  data: z.object({ partnership: described('The partnership.', PartnershipView) }),
  refusals: { partnership_does_not_exist: 404 },
  errors: { PartnershipNotFoundError: 'partnership_does_not_exist' },
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
        partner_approval: 'needed',
        created_date: '2025-12-01T08:00:00.000Z',
        campaigns: [listedExample],
      },
    },
  },
  access: { table: { partnership: ['GetItem', 'Query'] } },
});
