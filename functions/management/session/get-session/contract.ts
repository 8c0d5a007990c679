import * as z from 'zod/mini';
import { defineContract, staffSession } from '../../../../shared/contracts/contract.ts';
import { described } from '../../../../shared/contracts/described.ts';
import { OwnInvitationView, PersonView, PostView } from '../../../../shared/http/views/staff.ts';

export const contract = defineContract({
  host: 'management',
  name: 'get-session',
  method: 'GET',
  path: '/session',
  summary: 'Get the person who is signed in, and the organisations that the person works for.',
  credential: staffSession,
  data: z.object({
    person: described('The person who is signed in.', PersonView),
    stage: described('The stage of the platform.', z.string()),
    organisations: described('Where the person works, by the name of the organisation.', z.array(PostView)),
    invitations: described('What the person is invited to, the oldest first.', z.array(OwnInvitationView)),
  }),
  refusals: {},
  access: { table: { staff: ['Query'], organisation: ['BatchGetItem'], invitation: ['Query'] } },
});
