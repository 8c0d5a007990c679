import type { PlatformEvent } from '../../contracts/events.ts';
import type { AwardRequest } from '../../domain/award/decide-awards.ts';
import { pendingFinalization } from '../../domain/award/finalization.ts';
import {
  awardRequestForReferral,
  awardRequestForRegistration,
  createdMembership,
  referrerIdOf,
} from '../../domain/connect/decide-link.ts';
import type { Member } from '../../domain/member/member.ts';
import type { Deps } from '../operation.ts';
import { awardEvent, awardEventStores, loadEarner } from './award-event.ts';

export const processRegistrationStores = awardEventStores;
type RegistrationDeps = Deps<typeof processRegistrationStores>;

/**
 * Rewards the first link of an account at a merchant: the new member for the registration, and the referrer for the
 * referral.
 *
 * Safe to repeat: the membership is the key of both awards, and each campaign awards a membership once.
 *
 * @throws Error for a user that never existed
 */
export async function processRegistration(event: PlatformEvent, deps: RegistrationDeps): Promise<void> {
  const member = await deps.members.findOfEvent(event);
  const membership = member && createdMembership(member, event);
  if (!membership) return;

  await awardUser(event, { userId: member.user.id, ...awardRequestForRegistration(event, membership) }, deps);
  const userId = await findReferrerId(member, event, deps);
  if (userId !== undefined) await awardUser(event, { userId, ...awardRequestForReferral(event, membership) }, deps);
}

/** Finds the user who referred a member. Self-referrals and unknown referrer ids are ignored. */
async function findReferrerId(
  member: Member,
  event: PlatformEvent,
  { members }: RegistrationDeps,
): Promise<number | undefined> {
  const externalId = referrerIdOf(member, event);
  const userId = externalId === undefined ? undefined : await members.findUserId(event.merchantId, externalId);
  return userId === member.user.id ? undefined : userId;
}

/**
 * Awards a user under the campaigns of merchant and linked program. A link has no record that could list the
 * transactions: only the award claims name them.
 */
async function awardUser(
  { merchantId, partnerId, occurredAt }: PlatformEvent,
  { userId, ...request }: AwardRequest & { readonly userId: number },
  deps: RegistrationDeps,
): Promise<void> {
  const under = (partnership: { readonly partnerId: number }) => partnership.partnerId === partnerId;
  await awardEvent(
    {
      ...request,
      loadEarner: (at) => loadEarner({ userId, merchantId, under }, at, deps),
      record: pendingFinalization(occurredAt),
      writesFor: () => [],
    },
    deps,
  );
}
