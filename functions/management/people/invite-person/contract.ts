import * as z from 'zod/mini';
import { defineContract, staff } from '../../../../shared/contracts/contract.ts';
import { described } from '../../../../shared/contracts/described.ts';
import { StaffRole } from '../../../../shared/domain/staff/roles.ts';
import { organisationParams } from '../../../../shared/http/organisation-request.ts';
import { InvitationView } from '../../../../shared/http/views/people.ts';
import { email } from '../../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'management',
  name: 'invite-person',
  method: 'POST',
  path: '/organisations/{organisation_id}/people',
  summary:
    'Invite the person with an address, or invite again with these roles. The platform sends no message: pass the link on.',
  credential: staff,
  permission: 'people:write',
  needsRecentSignIn: true,
  params: organisationParams,
  body: z.object({
    email: described('The address that the person has to prove.', email),
    roles: described('The roles of the person; at least one.', z.array(StaffRole)),
  }),
  data: z.object({
    invitation: InvitationView,
    link: described('Leads the person to the sign-in. It is no secret: only the address opens it.', z.string()),
  }),
  refusals: { already_exists: 409, too_many_invitations: 409, changed_meanwhile: 412, not_permitted: 403 },
  errors: {
    AlreadyExistsError: 'already_exists',
    TooManyInvitationsError: 'too_many_invitations',
    ChangedMeanwhileError: 'changed_meanwhile',
    NotPermittedError: 'not_permitted',
  },
  access: {
    table: {
      organisation: ['Query', 'PutItem'],
      staff: ['BatchGetItem', 'ConditionCheckItem'],
      invitation: ['PutItem'],
      organisationAudit: ['PutItem'],
    },
  },
});
