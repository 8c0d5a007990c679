import * as z from 'zod/mini';
import { defineContract, staffSession } from '../../../../shared/contracts/contract.ts';
import { described } from '../../../../shared/contracts/described.ts';
import { StaffRole } from '../../../../shared/domain/staff/roles.ts';

export const contract = defineContract({
  host: 'management',
  name: 'accept-invitation',
  method: 'POST',
  path: '/session/invitation',
  summary: 'Accept an invitation of the address of the person who is signed in.',
  credential: staffSession,
  body: z.object({ invitation_id: described('UUID of the invitation.', z.string()) }),
  data: z.object({
    organisation_id: described('Id of the organisation.', z.int()),
    roles: described('The roles of the person there.', z.array(StaffRole)),
  }),
  refusals: { not_found: 404, too_many_organisations: 409 },
  errors: { NotFoundError: 'not_found', TooManyOrganisationsError: 'too_many_organisations' },
  access: {
    table: {
      invitation: ['Query', 'DeleteItem'],
      organisation: ['BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
      staff: ['Query', 'PutItem', 'ConditionCheckItem'],
      organisationAudit: ['PutItem'],
    },
  },
});
