import * as z from 'zod/mini';
import { defineContract, staff } from '../../../../shared/contracts/contract.ts';
import { described } from '../../../../shared/contracts/described.ts';
import { organisationParams } from '../../../../shared/http/organisation-request.ts';
import { OrganisationView } from '../../../../shared/http/views/organisation.ts';
import { text } from '../../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'management',
  name: 'change-settings',
  method: 'PUT',
  path: '/organisations/{organisation_id}',
  summary: 'Change the name and the settings of an organisation. What is absent stays as it is.',
  credential: staff,
  permission: 'settings:write',
  needsRecentSignIn: true,
  namesRevision: true,
  params: organisationParams,
  body: z.object({
    name: described('Another name; no other organisation has it.', z.optional(text())),
    four_eyes: described('Whether the person who changed a draft last may not approve it.', z.optional(z.boolean())),
  }),
  data: OrganisationView,
  refusals: { not_found: 404, already_exists: 409, changed_meanwhile: 412, not_permitted: 403 },
  errors: {
    NotFoundError: 'not_found',
    AlreadyExistsError: 'already_exists',
    ChangedMeanwhileError: 'changed_meanwhile',
    NotPermittedError: 'not_permitted',
  },
  access: {
    table: {
      organisation: ['GetItem', 'BatchGetItem', 'PutItem'],
      sequence: ['GetItem'],
      staff: ['GetItem', 'ConditionCheckItem'],
      organisationAudit: ['PutItem'],
    },
  },
});
