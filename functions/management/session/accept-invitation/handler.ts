import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { acceptInvitation, acceptInvitationStores } from '../../../../shared/operations/staff/accept-invitation.ts';
import { contract } from './contract.ts';

export const handler = managementEndpoint(contract, acceptInvitationStores, async ({ caller, body, deps }) => {
  const staff = { id: caller.staffId, email: caller.email };
  const { organisationId, roles } = await acceptInvitation({ staff, invitationId: body.invitation_id }, deps);
  return { organisation_id: organisationId, roles };
});
