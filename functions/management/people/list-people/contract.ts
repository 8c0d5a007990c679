import * as z from 'zod/mini';
import { defineContract, staff } from '../../../../shared/contracts/contract.ts';
import { described } from '../../../../shared/contracts/described.ts';
import { organisationParams } from '../../../../shared/http/organisation-request.ts';
import { ColleagueView, InvitationView } from '../../../../shared/http/views/people.ts';

export const contract = defineContract({
  host: 'management',
  name: 'list-people',
  method: 'GET',
  path: '/organisations/{organisation_id}/people',
  summary: 'List the people of an organisation, and for those who invite people the invitations.',
  credential: staff,
  permission: 'people:read',
  params: organisationParams,
  data: z.object({
    people: described('The people, the longest there first.', z.array(ColleagueView)),
    invitations: described(
      'The invitations that nobody has accepted, the newest first; empty for a person who may not invite.',
      z.array(InvitationView),
    ),
  }),
  refusals: {},
  access: { table: { organisation: ['Query'], staff: ['BatchGetItem'] } },
});
