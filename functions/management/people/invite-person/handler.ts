import { invitationPath } from '../../../../shared/domain/staff/invitation.ts';
import { managementEndpoint, siteSettings } from '../../../../shared/http/management-endpoint.ts';
import { withAuthor } from '../../../../shared/http/organisation-request.ts';
import { invitationView } from '../../../../shared/http/views/people.ts';
import { invitePerson, invitePersonStores } from '../../../../shared/operations/staff/invite-person.ts';
import { contract } from './contract.ts';

export const handler = managementEndpoint(contract, invitePersonStores, async (call) => {
  const { caller, body } = call;
  const wanted = { organisationId: caller.organisationId, ...body };
  const invitation = await invitePerson(wanted, withAuthor(contract, call));
  const { dashboardUrl } = await siteSettings();
  return { invitation: invitationView(invitation), link: dashboardUrl + invitationPath(invitation) };
});
