import * as z from 'zod/mini';
import { defineContract, staff } from '../../../../shared/contracts/contract.ts';
import { described } from '../../../../shared/contracts/described.ts';
import { campaignRefusals } from '../../../../shared/http/campaign-desk.ts';
import { organisationParams } from '../../../../shared/http/organisation-request.ts';
import { listReply, pageQuery } from '../../../../shared/http/paging.ts';
import {
  CampaignStatusName,
  CampaignSummaryReply,
  CampaignTypeName,
} from '../../../../shared/http/views/managed-campaign-schema.ts';
import { text, uuid } from '../../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'management',
  name: 'list-campaigns',
  method: 'GET',
  path: '/organisations/{organisation_id}/campaigns',
  summary: 'List the campaigns of an organisation, drafts included, the newest first.',
  credential: staff,
  permission: 'campaigns:read',
  params: organisationParams,
  query: z.object({
    status: described('Only campaigns in this state.', z.optional(CampaignStatusName)),
    type: described('Only campaigns of this type.', z.optional(CampaignTypeName)),
    partnership: described('Only campaigns of the partnership with this UUID.', z.optional(uuid)),
    text: described('Only campaigns with this text in their names, or with this id.', z.optional(text())),
    waiting: described(
      'Only campaigns with a review: with `you` one that waits for the approval of your organisation.',
      z.optional(z.enum(['you', 'anyone'])),
    ),
    ...pageQuery,
  }),
  data: listReply(z.object({ campaigns: described('The campaigns of the page.', z.array(CampaignSummaryReply)) })),
  envelope: 'list',
  refusals: campaignRefusals.refusals,
  access: {
    table: {
      organisation: ['GetItem', 'BatchGetItem', 'Query'],
      campaign: ['BatchGetItem'],
      partnership: ['GetItem', 'Query'],
      platformKey: ['GetItem', 'PutItem'],
    },
    indexes: ['byMerchant', 'byPartner'],
  },
});
