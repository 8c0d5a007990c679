import { pathNumber } from '../../../../shared/http/campaign-desk.ts';
import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { withAuthor } from '../../../../shared/http/organisation-request.ts';
import { deleteTemplate } from '../../../../shared/operations/campaign/manage-templates.ts';
import { contract } from './contract.ts';

export const handler = managementEndpoint(contract, {}, async (call) => {
  const { params, caller } = call;
  const act = { templateId: pathNumber(params.id), as: { id: caller.organisationId } };
  await deleteTemplate(act, withAuthor(contract, call));
  return { deleted: true as const };
});
