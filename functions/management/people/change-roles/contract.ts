import * as z from 'zod/mini';
import { defineContract, staff } from '../../../../shared/contracts/contract.ts';
import { described } from '../../../../shared/contracts/described.ts';
import { StaffRole } from '../../../../shared/domain/staff/roles.ts';
import { organisationIdParam } from '../../../../shared/http/organisation-request.ts';
import { ColleagueView } from '../../../../shared/http/views/people.ts';

export const contract = defineContract({
  host: 'management',
  name: 'change-roles',
  method: 'PUT',
  path: '/organisations/{organisation_id}/people/{id}',
  summary: 'Give a person other roles. They count from the next request on.',
  credential: staff,
  permission: 'people:write',
  needsRecentSignIn: true,
  namesRevision: true,
  params: z.object({
    organisation_id: organisationIdParam,
    id: described('UUID of the person.', z.string()),
  }),
  body: z.object({ roles: described('The roles; at least one.', z.array(StaffRole)) }),
  data: ColleagueView,
  refusals: { not_found: 404, last_owner: 409, changed_meanwhile: 412, not_permitted: 403 },
  errors: {
    NotFoundError: 'not_found',
    LastOwnerError: 'last_owner',
    ChangedMeanwhileError: 'changed_meanwhile',
    NotPermittedError: 'not_permitted',
  },
  access: {
    table: {
      organisation: ['UpdateItem'],
      staff: ['GetItem', 'BatchGetItem', 'PutItem', 'ConditionCheckItem'],
      organisationAudit: ['PutItem'],
    },
  },
});
