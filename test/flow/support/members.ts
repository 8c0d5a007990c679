import { randomUUID } from 'node:crypto';
import { issueUserTokens } from '../../../shared/operations/member/issue-user-tokens.ts';
import { createMember } from '../../../shared/operations/member/manage-members.ts';
import type { FlowMember } from '../../support/flow-demo.ts';
import type { Flow } from './flow.ts';

/** Creates a member of the flow's merchant with a linked account and a balance. */
export async function newMember({ platform, demo }: Flow, points: number): Promise<FlowMember> {
  const externalId = randomUUID();
  const member = await createMember(
    {
      firstName: 'Mary',
      lastName: 'Fairfax',
      email: `${externalId}@example.com`,
      merchant: { id: demo.merchant.id, externalId },
      program: { partnerId: demo.partner.id, externalId, statusTierId: 1, points },
    },
    platform,
  );
  const tokens = await issueUserTokens({ member, merchantId: demo.merchant.id }, platform);
  return {
    id: member.user.id,
    name: 'Mary Fairfax',
    uuid: member.user.uuid,
    ...tokens,
    externalId,
    stripeCustomer: '',
    points,
  };
}
