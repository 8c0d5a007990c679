import { issueUserTokens } from '../../../shared/operations/member/issue-user-tokens.ts';
import { findMember } from '../../../shared/operations/member/manage-members.ts';
import { provisionTestIdentities } from '../../../shared/operations/member/test-identities.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import type { makeShowcase } from './world.ts';

/** Creates the test identities of the demonstration's merchant. Returns the user token of each, by the merchant's id. */
export async function makeTestIdentities(
  { merchant, partner }: Pick<Awaited<ReturnType<typeof makeShowcase>>, 'merchant' | 'partner'>,
  platform: Platform,
) {
  const order = { merchant: String(merchant.id), program: String(partner.id) };
  const provisioned = await provisionTestIdentities(order, platform);
  const tokens = await Promise.all(
    provisioned.map(async ({ externalId, memberId }) => {
      const member = await findMember({ id: String(memberId) }, platform);
      const { accessToken } = await issueUserTokens({ member, merchantId: merchant.id }, platform);
      return [externalId, { id: memberId, accessToken }] as const;
    }),
  );
  return Object.fromEntries(tokens);
}
