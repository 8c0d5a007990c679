import * as z from 'zod/mini';
import { defineContract, staff } from '../../../../shared/contracts/contract.ts';
import { described } from '../../../../shared/contracts/described.ts';
import { organisationIdParam } from '../../../../shared/http/organisation-request.ts';

export const contract = defineContract({
  host: 'management',
  name: 'remove-person',
  method: 'DELETE',
  path: '/organisations/{organisation_id}/people/{id}',
  summary: 'Remove a person, leave the organisation, or withdraw an invitation.',
  credential: staff,
  // Everybody may leave. To remove others or to withdraw invitations, a person needs `people:write`.
  permission: 'people:read',
  needsRecentSignIn: true,
  namesRevision: true,
  params: z.object({
    organisation_id: organisationIdParam,
    id: described('UUID of the person, or of the invitation.', z.string()),
  }),
  data: z.object({ removed: described('What was removed.', z.enum(['person', 'invitation'])) }),
  refusals: { not_found: 404, last_owner: 409, changed_meanwhile: 412, not_permitted: 403 },
  errors: {
    NotFoundError: 'not_found',
    LastOwnerError: 'last_owner',
    ChangedMeanwhileError: 'changed_meanwhile',
    NotPermittedError: 'not_permitted',
  },
  access: {
    table: {
      organisation: ['GetItem', 'UpdateItem', 'DeleteItem'],
      staff: ['GetItem', 'BatchGetItem', 'DeleteItem', 'ConditionCheckItem'],
      invitation: ['DeleteItem'],
      organisationAudit: ['PutItem'],
    },
  },
});
