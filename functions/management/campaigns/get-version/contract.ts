import * as z from 'zod/mini';
import { defineContract, staff } from '../../../../shared/contracts/contract.ts';
import { described } from '../../../../shared/contracts/described.ts';
import { campaignRefusals } from '../../../../shared/http/campaign-desk.ts';
import { CampaignVersionReply, campaignParams } from '../../../../shared/http/views/managed-campaign-schema.ts';
import { pathInteger } from '../../../../shared/http/wire.ts';
import { contract as getCampaign } from '../get-campaign/contract.ts';

export const contract = defineContract({
  host: 'management',
  name: 'get-version',
  method: 'GET',
  path: '/organisations/{organisation_id}/campaigns/{id}/versions/{version}',
  summary: 'Get an approved version of a campaign, and what it changed.',
  credential: staff,
  permission: 'campaigns:read',
  params: z.object({ ...campaignParams, version: described('Number of the version.', pathInteger) }),
  data: CampaignVersionReply,
  ...campaignRefusals,
  access: getCampaign.access,
});
