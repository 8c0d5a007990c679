import * as z from 'zod/mini';
import { defineContract, optionalStaffSession } from '../../../../shared/contracts/contract.ts';
import { described } from '../../../../shared/contracts/described.ts';
import { OwnInvitationView, PersonView, PostView } from '../../../../shared/http/views/staff.ts';

export const contract = defineContract({
  host: 'management',
  name: 'get-session',
  method: 'GET',
  path: '/session',
  summary: 'Get the person who is signed in, if any, and the organisations that the person works for.',
  credential: optionalStaffSession,
  data: z.object({
    person: described('The person who is signed in; null if nobody is.', z.nullable(PersonView)),
    stage: described('The stage of the platform.', z.string()),
    organisations: described('Where the person works, by the name of the organisation.', z.array(PostView)),
    invitations: described('What the person is invited to, the oldest first.', z.array(OwnInvitationView)),
  }),
  refusals: {},
  access: { table: { staff: ['Query'], organisation: ['BatchGetItem'], invitation: ['Query'] } },
});
