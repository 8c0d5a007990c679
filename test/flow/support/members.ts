import { randomUUID } from 'node:crypto';
import { provisionMember, provisionUserTokens } from '../../../tools/admin/provision.ts';
import type { FlowMember } from '../../support/flow-demo.ts';
import type { Flow } from './flow.ts';

/** Creates a member of the flow's merchant with a linked account and a balance. */
export async function newMember({ platform, demo }: Flow, points: number): Promise<FlowMember> {
  const externalId = randomUUID();
  const member = await provisionMember(platform, {
    firstName: 'Mary',
    lastName: 'Fairfax',
    email: `${externalId}@example.com`,
    merchant: { id: demo.merchant.id, externalId },
    program: { partnerId: demo.partner.id, externalId, statusTierId: 1, points },
  });
  const tokens = await provisionUserTokens(platform, member, demo.merchant.id);
  return { id: member.user.id, uuid: member.user.uuid, ...tokens, externalId, stripeCustomer: '', points };
}
