import { defineContract, staff } from '../../../../shared/contracts/contract.ts';
import { organisationParams } from '../../../../shared/http/organisation-request.ts';
import { OrganisationView } from '../../../../shared/http/views/organisation.ts';

export const contract = defineContract({
  host: 'management',
  name: 'get-organisation',
  method: 'GET',
  path: '/organisations/{organisation_id}',
  summary: 'Get an organisation and its settings.',
  credential: staff,
  permission: 'organisation:read',
  params: organisationParams,
  data: OrganisationView,
  refusals: { not_found: 404 },
  errors: { NotFoundError: 'not_found' },
  access: { table: { organisation: ['GetItem'] } },
});
