import { actingDeps, pathNumber } from '../../../../shared/http/campaign-desk.ts';
import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { deleteTemplate } from '../../../../shared/operations/campaign/manage-templates.ts';
import { contract } from './contract.ts';

export const handler = managementEndpoint(contract, {}, async ({ params, caller, deps }) => {
  const act = { templateId: pathNumber(params.id), as: { id: caller.organisationId } };
  await deleteTemplate(act, actingDeps(deps, caller, 'delete template'));
  return { deleted: true as const };
});
