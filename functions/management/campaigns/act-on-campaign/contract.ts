import * as z from 'zod/mini';
import { defineContract, staff } from '../../../../shared/contracts/contract.ts';
import { described } from '../../../../shared/contracts/described.ts';
import { maximumCharacters } from '../../../../shared/contracts/limits.ts';
import { campaignChangeAccess, campaignRefusals } from '../../../../shared/http/campaign-desk.ts';
import { CampaignReply, campaignParams } from '../../../../shared/http/views/managed-campaign-schema.ts';
import { optional } from '../../../../shared/http/wire.ts';
import { stateActNames } from '../../../../shared/operations/campaign/campaign-acts.ts';

export const contract = defineContract({
  host: 'management',
  name: 'act-on-campaign',
  method: 'POST',
  path: '/organisations/{organisation_id}/campaigns/{id}/acts',
  summary: 'Submit, approve, reject, pause, resume, activate or end a campaign, or discard its next version.',
  credential: staff,
  permission: 'campaigns:read',
  namesRevision: true,
  params: z.object(campaignParams),
  body: z.object({
    act: described('The act. An approval is given to the revision in `If-Match`.', z.enum(stateActNames)),
    reason: described(
      'Why the version is rejected. Only for `reject`, which needs it.',
      optional(z.string().check(z.trim(), z.maxLength(maximumCharacters.description))),
    ),
  }),
  data: CampaignReply,
  ...campaignRefusals,
  access: campaignChangeAccess,
});
