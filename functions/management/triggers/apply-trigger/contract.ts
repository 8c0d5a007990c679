import * as z from 'zod/mini';
import { defineContract, staff } from '../../../../shared/contracts/contract.ts';
import { described } from '../../../../shared/contracts/described.ts';
import { maximumCharacters } from '../../../../shared/contracts/limits.ts';
import { ContextSchema, triggerKinds } from '../../../../shared/domain/trigger/trigger.ts';
import { organisationIdParam } from '../../../../shared/http/organisation-request.ts';
import { TriggerView } from '../../../../shared/http/views/managed-partnership.ts';
import { optional, pathId, text } from '../../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'management',
  name: 'apply-trigger',
  method: 'PUT',
  path: '/organisations/{organisation_id}/partnerships/{id}/triggers/{name}',
  summary: 'Create a trigger of a partnership, by the revision 0, or change one. What is absent has its default.',
  credential: staff,
  permission: 'triggers:write',
  namesRevision: true,
  params: z.object({
    organisation_id: organisationIdParam,
    id: described('UUID of the partnership.', pathId),
    name: described('Name of the trigger, as its events say it.', z.string()),
  }),
  body: z.object({
    description: described('What happens; null without a description.', optional(text(maximumCharacters.description))),
    event: described('What its events count as.', z._default(z.enum(triggerKinds), 'CUSTOM')),
    friend_field: described('Text field that names the friend of a referral.', optional(text())),
    is_active: described('Whether events are accepted.', z._default(z.boolean(), true)),
    context_schema: described('The fields of its events, as in a trigger file.', ContextSchema),
  }),
  data: TriggerView,
  refusals: { invalid_request: 400, not_permitted: 403, not_found: 404, already_exists: 409, changed_meanwhile: 412 },
  errors: {
    NotFoundError: 'not_found',
    AlreadyExistsError: 'already_exists',
    ChangedMeanwhileError: 'changed_meanwhile',
    NotPermittedError: 'not_permitted',
  },
  access: {
    table: {
      partnership: ['GetItem', 'PutItem'],
      sequence: ['UpdateItem'],
      staff: ['ConditionCheckItem'],
      organisationAudit: ['PutItem'],
    },
  },
});
