import { describe, expectTypeOf, it } from 'vitest';
import type * as z from 'zod/mini';
import type {
  AuditEntry,
  CampaignEntryView,
  CampaignSummary,
  CampaignView,
  InvitationView,
  OrganisationView,
  PartnershipDetails,
  PersonView,
  TemplateView,
} from '../../dashboard/src/api/types.ts';
import type { contract as listAudit } from '../../functions/management/audit/list-audit/contract.ts';
import type { contract as actOnCampaign } from '../../functions/management/campaigns/act-on-campaign/contract.ts';
import type { contract as createCampaign } from '../../functions/management/campaigns/create-campaign/contract.ts';
import type { contract as getCampaign } from '../../functions/management/campaigns/get-campaign/contract.ts';
import type { contract as listHistory } from '../../functions/management/campaigns/list-campaign-history/contract.ts';
import type { contract as listCampaigns } from '../../functions/management/campaigns/list-campaigns/contract.ts';
import type { contract as saveCampaign } from '../../functions/management/campaigns/save-campaign/contract.ts';
import type { contract as getOrganisation } from '../../functions/management/organisation/get-organisation/contract.ts';
import type { contract as listPartnerships } from '../../functions/management/partnerships/list-partnerships/contract.ts';
import type { contract as listPeople } from '../../functions/management/people/list-people/contract.ts';
import type { contract as listTemplates } from '../../functions/management/templates/list-templates/contract.ts';

/** The data that a contract promises. */
type DataOf<C extends { readonly data: z.ZodMiniType }> = z.output<C['data']>;

describe("the dashboard's types", () => {
  it('are those of the contracts: the compiler finds every field that a reply does not have', () => {
    expectTypeOf<DataOf<typeof getCampaign>>().toExtend<CampaignView>();
    expectTypeOf<DataOf<typeof saveCampaign>>().toExtend<CampaignView>();
    expectTypeOf<DataOf<typeof createCampaign>>().toExtend<CampaignView>();
    expectTypeOf<DataOf<typeof actOnCampaign>>().toExtend<CampaignView>();
    expectTypeOf<DataOf<typeof listCampaigns>['data']>().toExtend<{ readonly campaigns: readonly CampaignSummary[] }>();
    expectTypeOf<DataOf<typeof listHistory>['data']>().toExtend<{ readonly acts: readonly CampaignEntryView[] }>();
    expectTypeOf<DataOf<typeof listTemplates>['data']>().toExtend<{ readonly templates: readonly TemplateView[] }>();
    expectTypeOf<DataOf<typeof listPartnerships>>().toExtend<{
      readonly partnerships: readonly Omit<PartnershipDetails, 'triggers'>[];
    }>();
    expectTypeOf<DataOf<typeof listPeople>>().toExtend<{
      readonly people: readonly PersonView[];
      readonly invitations: readonly InvitationView[];
    }>();
    expectTypeOf<DataOf<typeof getOrganisation>>().toExtend<OrganisationView>();
    expectTypeOf<DataOf<typeof listAudit>['data']>().toExtend<{ readonly entries: readonly AuditEntry[] }>();
  });
});
