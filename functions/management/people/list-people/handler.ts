import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { colleagueView, invitationView } from '../../../../shared/http/views/people.ts';
import { invitePersonStores } from '../../../../shared/operations/staff/invite-person.ts';
import { listPeople } from '../../../../shared/operations/staff/manage-people.ts';
import { contract } from './contract.ts';

export const handler = managementEndpoint(contract, invitePersonStores, async ({ caller, deps }) => {
  const { people, invitations } = await listPeople(caller.organisationId, deps);
  return {
    people: people.map(colleagueView),
    invitations: caller.permissions.includes('people:write') ? invitations.map(invitationView) : [],
  };
});
