import { createHash } from 'node:crypto';
import type { InternalEvent } from '../../contracts/events.ts';
import { integerIdOf, isUuid } from '../../domain/ids.ts';
import { isAssociated, isNamedBy } from '../../domain/member/member.ts';
import { awardRequestForTrigger, finalizeTriggerEvent, type TriggerEvent } from '../../domain/trigger/trigger-event.ts';
import { eventChangeWrite, TriggerEvents } from '../../store/trigger/trigger-events.ts';
import type { Deps } from '../operation.ts';
import { awardEvent, awardEventStores, loadEarner } from './award-event.ts';
import { awardBatch } from './award-together.ts';

export const processTriggerStores = { ...awardEventStores, triggerEvents: TriggerEvents };
type TriggerDeps = Deps<typeof processTriggerStores>;

/** A trigger event whose user is known. */
type AwardableTriggerEvent = TriggerEvent & { readonly userId: number };

/**
 * Awards trigger events. Trigger events of one member are awarded together. The new transactions are pending until the
 * program confirms them.
 *
 * @returns for each event, the error of its trigger event (as {@link processTrigger} throws it), or undefined when the
 * trigger event is done
 */
export function processTriggers(events: readonly InternalEvent[], deps: TriggerDeps): Promise<unknown[]> {
  return awardBatch<AwardableTriggerEvent>(
    events.map(({ entityId }) => entityId),
    {
      find: async (entityId) => {
        const event = await findReceived(entityId, deps);
        // Two referrals of a batch may name the same friend, and one write cannot contain both awards. So referrals are
        // awarded one by one.
        if (event?.kind !== 'REFERRAL') return event;
        await processTrigger({ entityId }, deps);
        return undefined;
      },
      keyOf: ({ userId, partnershipUuid }) => `${userId} ${partnershipUuid}`,
      requestOf: awardRequestForTrigger,
      loadEarner: (event, at) => loadTriggerEarner(event, at, deps),
      endWrites: (event, rejection) => [eventChangeWrite(finalizeTriggerEvent(event, rejection, deps.now()))],
      awardAlone: (entityId) => processTrigger({ entityId }, deps),
    },
    deps,
  );
}

/**
 * Awards one trigger event.
 *
 * Safe to repeat from the point where an earlier run ended: the write of each award also adds the award's transactions
 * to the trigger event, and each campaign awards a trigger event once.
 *
 * @throws Error when the trigger event or its user is not found, or another run writes first
 */
export async function processTrigger({ entityId }: Pick<InternalEvent, 'entityId'>, deps: TriggerDeps): Promise<void> {
  const event = await findReceived(entityId, deps);
  if (!event) return;
  const referral = event.kind === 'REFERRAL' ? await findReferral(event, deps) : undefined;
  if (referral === null) {
    return deps.triggerEvents.change(finalizeTriggerEvent(event, 'friend_not_member', deps.now()));
  }
  const { record, rejection, wasRewardedBefore } = await awardEvent(
    {
      ...awardRequestForTrigger(event, referral),
      loadEarner: (at) => loadTriggerEarner(event, at, deps),
      record: event,
      writesFor: (changed) => [eventChangeWrite(changed)],
    },
    deps,
  );
  const reason = wasRewardedBefore ? 'referral_rewarded_before' : rejection;
  await deps.triggerEvents.change(finalizeTriggerEvent(record, reason, deps.now()));
}

/**
 * Returns the text that identifies a referral: the id of the friend's account in the program. A referral that comes
 * with a link has the same text. So a referral is rewarded once, whichever way it is reported. An event that names no
 * friend is identified by its user, trigger and context.
 *
 * @returns null when the friend has no account in the program, is unknown to the sender, or is the referring member
 */
async function findReferral(event: AwardableTriggerEvent, { members }: TriggerDeps): Promise<string | null> {
  const { friendId, userId, callerId, partnerId, merchantId, customTriggerId, context } = event;
  if (friendId === undefined) {
    const content = JSON.stringify([userId, customTriggerId, Object.entries(context).sort()]);
    return createHash('sha256').update(content).digest('hex');
  }
  // The sender's own ids may look like UUIDs, so the sender's ids are tried first.
  const byExternalId = await members.findUserId(callerId, friendId);
  const id = byExternalId ?? (isUuid(friendId) ? integerIdOf(friendId) : undefined);
  const friend = id === undefined ? undefined : await members.find(id);
  const isNamed = friend && (byExternalId !== undefined || isNamedBy(friend, friendId.toLowerCase()));
  const isVisible = isNamed && [merchantId, partnerId].some((side) => isAssociated(friend, side));
  const account = isVisible ? friend.memberships.find((own) => own.partnerId === partnerId) : undefined;
  return account && account.userId !== userId ? String(account.id) : null;
}

/** Finds the trigger event of a message. Returns undefined when its state is no longer RECEIVED, or it has no user. */
async function findReceived(
  entityId: string,
  { triggerEvents }: Pick<TriggerDeps, 'triggerEvents'>,
): Promise<AwardableTriggerEvent | undefined> {
  const event = await triggerEvents.find(integerIdOf(entityId) ?? 0);
  if (event?.uuid !== entityId) throw new Error(`there is no trigger event ${entityId}`);
  const { state, userId } = event;
  return state === 'RECEIVED' && userId !== null ? { ...event, userId } : undefined;
}

function loadTriggerEarner(event: AwardableTriggerEvent, at: Date, deps: TriggerDeps) {
  return loadEarner({ ...event, under: ({ uuid }) => uuid === event.partnershipUuid }, at, deps);
}
