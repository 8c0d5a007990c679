import { PlatformEvent } from '../../../shared/contracts/events.ts';
import type { AwardRequest } from '../../../shared/domain/award/decide-awards.ts';
import { pendingFinalization } from '../../../shared/domain/award/finalization.ts';
import {
  awardRequestForReferral,
  awardRequestForRegistration,
  membershipMadeIn,
  referrerNamedIn,
} from '../../../shared/domain/connect/occurrences-of-link.ts';
import { integerIdOf } from '../../../shared/domain/ids.ts';
import type { Member } from '../../../shared/domain/member/member.ts';
import { type Awarding, awardAll, awardingStores, loadEarner } from '../../../shared/operations/award.ts';
import { busMessage, consume } from '../../../shared/runtime/consume.ts';
import { once } from '../../../shared/runtime/once.ts';
import { runtime, withStores } from '../../../shared/runtime/runtime.ts';

const rewarding = once(() => withStores(runtime(), awardingStores));

/** Rewards members who linked an account for the first time, and those who brought them. */
export const handler = consume({
  message: busMessage(PlatformEvent),
  deps: rewarding,
  handle: ({ detail }, deps) => processRegistration(detail, deps),
});

/**
 * Safe to repeat: the membership that the link made is the place of every award, and each campaign
 * rewards it once.
 *
 * @throws when the user is not known; the message comes again
 */
export async function processRegistration(event: PlatformEvent, deps: Awarding): Promise<void> {
  const member = await deps.members.find(integerIdOf(event.entityId) ?? 0);
  if (member?.user.uuid !== event.entityId) throw new Error(`there is no user ${event.entityId}`);
  const membership = membershipMadeIn(member, event);
  if (!membership) return;

  await reward(event, { userId: member.user.id, ...awardRequestForRegistration(event, membership) }, deps);
  const userId = await referrerOf(member, event, deps);
  if (userId !== undefined) await reward(event, { userId, ...awardRequestForReferral(event, membership) }, deps);
}

/** The user who brought a member. Nobody brings himself, and whom the merchant does not know is nobody. */
async function referrerOf(member: Member, event: PlatformEvent, deps: Awarding): Promise<number | undefined> {
  const named = referrerNamedIn(member, event);
  const userId = named === undefined ? undefined : await deps.members.findUserId(event.merchantId, named);
  return userId === member.user.id ? undefined : userId;
}

/** What counts are the campaigns of the merchant with the very program. Nothing else remembers the awards. */
async function reward(
  { merchantId, partnerId, occurredAt }: PlatformEvent,
  { userId, ...request }: AwardRequest & { readonly userId: number },
  deps: Awarding,
): Promise<void> {
  const under = (partnership: { readonly partnerId: number }) => partnership.partnerId === partnerId;
  await awardAll(
    {
      ...request,
      earner: (at) => loadEarner({ userId, merchantId, under }, at, deps),
      thing: pendingFinalization(occurredAt),
      changesOf: () => [],
    },
    deps,
  );
}
