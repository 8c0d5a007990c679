import * as z from 'zod/mini';
import { defineContract, staff } from '../../../../shared/contracts/contract.ts';
import { described } from '../../../../shared/contracts/described.ts';
import { campaignRefusals } from '../../../../shared/http/campaign-desk.ts';
import { listReply, pageQuery } from '../../../../shared/http/paging.ts';
import { CampaignEntryReply, campaignParams } from '../../../../shared/http/views/managed-campaign-schema.ts';

export const contract = defineContract({
  host: 'management',
  name: 'list-campaign-history',
  method: 'GET',
  path: '/organisations/{organisation_id}/campaigns/{id}/acts',
  summary: 'List what organisations did with a campaign, the newest first. Only your own people have names.',
  credential: staff,
  permission: 'campaigns:read',
  params: z.object(campaignParams),
  query: z.object(pageQuery),
  data: listReply(
    z.object({ acts: described('The acts of the page, the newest first.', z.array(CampaignEntryReply)) }),
  ),
  envelope: 'list',
  ...campaignRefusals,
  access: {
    table: {
      campaign: ['GetItem', 'Query'],
      partnership: ['GetItem'],
      organisation: ['BatchGetItem'],
      staff: ['BatchGetItem'],
      platformKey: ['GetItem', 'PutItem'],
    },
  },
});
