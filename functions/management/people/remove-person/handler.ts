import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { withAuthor } from '../../../../shared/http/organisation-request.ts';
import { invitePersonStores, withdrawInvitation } from '../../../../shared/operations/staff/invite-person.ts';
import { removePerson } from '../../../../shared/operations/staff/manage-people.ts';
import { requireOwnPerson } from '../../../../shared/operations/staff/own-person.ts';
import { contract } from './contract.ts';

export const handler = managementEndpoint(contract, invitePersonStores, async (call) => {
  const { caller, params, revision } = call;
  const { organisationId } = caller;
  const deps = withAuthor(contract, call);
  if (!caller.permissions.includes('people:write')) await requireOwnPerson(params.id, deps);

  if (params.id !== caller.staffId && (await deps.invitations.find(organisationId, params.id))) {
    await withdrawInvitation({ organisationId, id: params.id, revision }, deps);
    return { removed: 'invitation' as const };
  }
  await removePerson({ organisationId, staffId: params.id, revision }, deps);
  return { removed: 'person' as const };
});
