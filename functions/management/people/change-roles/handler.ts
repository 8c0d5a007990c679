import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { withAuthor } from '../../../../shared/http/organisation-request.ts';
import { colleagueView } from '../../../../shared/http/views/people.ts';
import { changeRoles, managePeopleStores } from '../../../../shared/operations/staff/manage-people.ts';
import { contract } from './contract.ts';

export const handler = managementEndpoint(contract, managePeopleStores, async (call) => {
  const { caller, params, body, revision } = call;
  const change = { organisationId: caller.organisationId, staffId: params.id, roles: body.roles, revision };
  return colleagueView(await changeRoles(change, withAuthor(contract, call)));
});
