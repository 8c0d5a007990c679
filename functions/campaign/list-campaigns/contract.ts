import * as z from 'zod/mini';
import { defineContract, partnerKey } from '../../../shared/contracts/contract.ts';
import { describeCodes, described } from '../../../shared/contracts/described.ts';
import { maximumCharacters } from '../../../shared/contracts/limits.ts';
import { listReply, pageQuery } from '../../../shared/http/paging.ts';
import { ListedCampaign, listedExample } from '../../../shared/http/views/campaign.ts';
import { campaignTypeCodes } from '../../../shared/http/views/campaign-codes.ts';
import { requiredOneOf } from '../../../shared/http/wire.ts';

/** `1,2`: numbers of campaign types. Repetitions have no effect. */
const campaignTypes = z.pipe(
  z
    .string()
    .check(
      z.maxLength(maximumCharacters.campaignTypes),
      z.regex(/^ *[1-4] *(, *[1-4] *)*$/, { error: 'is not a comma-separated list of campaign types from 1 to 4' }),
    ),
  z.transform((list: string) => [...new Set(list.split(',').map(Number))].sort()),
);

const Query = z
  .object({
    campaign_types: described(
      `Comma-separated campaign types: ${describeCodes(campaignTypeCodes)}. Required.`,
      z.optional(campaignTypes),
    ),
    campaign_type: described(`${describeCodes(campaignTypeCodes)}.`, z.optional(campaignTypes)),
    ...pageQuery,
  })
  .check(
    z.superRefine((query, context) => {
      if ((query.campaign_types ?? query.campaign_type) !== undefined) return;
      context.addIssue({ code: 'invalid_type', expected: 'string', path: ['campaign_types'], input: undefined });
    }),
  );
requiredOneOf.add(Query, { groups: [['campaign_types', 'campaign_type']] });

export const contract = defineContract({
  host: 'campaign',
  name: 'list-campaigns',
  method: 'GET',
  path: '/campaigns',
  summary: "Endpoint 9: list the caller's campaigns of some types, the newest first, with a partner key.",
  credential: partnerKey,
  permission: 'campaigns:read',
  query: Query,
  data: listReply(
    z.object({ campaigns: described('The campaigns of the page, the newest first.', z.array(ListedCampaign)) }),
  ),
  envelope: 'list',
  refusals: { campaign_does_not_exist: 404, invalid_request: 400 },
  errors: { CampaignNotFoundError: 'campaign_does_not_exist' },
  example: {
    reply: {
      data: {
        campaigns: [listedExample],
      },
      cursor: { next: null, prev: null },
    },
  },
  access: {
    table: { organisation: ['Query'], partnership: ['BatchGetItem', 'Query'], platformKey: ['GetItem', 'PutItem'] },
  },
});
