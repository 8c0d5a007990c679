import { viewerOf } from '../../../../shared/http/campaign-desk.ts';
import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { withAuthor } from '../../../../shared/http/organisation-request.ts';
import { templateView } from '../../../../shared/http/views/managed-template.ts';
import { snakeCased } from '../../../../shared/http/views/snake-case.ts';
import { findVisible } from '../../../../shared/operations/campaign/load-campaign.ts';
import { createTemplate, manageTemplatesStores } from '../../../../shared/operations/campaign/manage-templates.ts';
import { loadOrganisationNames } from '../../../../shared/operations/organisation/find-organisation.ts';
import { Organisations } from '../../../../shared/store/organisation/organisations.ts';
import { contract } from './contract.ts';

const stores = { ...manageTemplatesStores, organisations: Organisations };

export const handler = managementEndpoint(contract, stores, async (call) => {
  const { body, caller, deps } = call;
  const as = { id: caller.organisationId };
  await findVisible(body.campaign_id, viewerOf(caller), deps);
  const act = { campaignId: body.campaign_id, as, name: body.name };
  const template = await createTemplate(act, withAuthor(contract, call));
  const nameOf = await loadOrganisationNames([as.id], deps);
  return snakeCased(templateView(template, nameOf(as.id)));
});
