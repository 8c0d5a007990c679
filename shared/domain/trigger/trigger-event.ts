import * as z from 'zod/mini';
import type { AwardRequest } from '../award/decide-awards.ts';
import type { AwardRejection } from '../award/finalization.ts';
import { finalization, finalized, pendingFinalization } from '../award/finalization.ts';
import { isNamedBy, type Member } from '../member/member.ts';
import type { Partnership } from '../partnership.ts';
import { attributesOfContext, numbersOfContext } from './context-attributes.ts';
import type { Context } from './trigger.ts';
import { flowTriggerOf, type Trigger, triggerKinds } from './trigger.ts';

/**
 * The states of a trigger event and their allowed transitions. The write conditions are built from this table.
 * An UNMATCHED event has no known user, so it is never awarded.
 */
export const triggerEventTransitions = {
  RECEIVED: ['PROCESSED', 'REJECTED'],
  UNMATCHED: [],
  PROCESSED: [],
  REJECTED: [],
} as const satisfies Record<string, readonly string[]>;

export type TriggerEventState = keyof typeof triggerEventTransitions;
export const triggerEventStates = Object.keys(triggerEventTransitions) as [TriggerEventState, ...TriggerEventState[]];

/** The states from which an event may become `next`. */
export function triggerEventStatesBefore(next: TriggerEventState): TriggerEventState[] {
  return triggerEventStates.filter((state) =>
    (triggerEventTransitions[state] as readonly TriggerEventState[]).includes(next),
  );
}

/** One event that a caller sent for a trigger. */
export const TriggerEvent = z.object({
  id: z.int(),
  uuid: z.string(),
  partnershipUuid: z.string(),
  merchantId: z.int(),
  partnerId: z.int(),
  /** The sender. `externalUserId` is the sender's own id of the user. */
  callerId: z.int(),
  triggerName: z.string(),
  customTriggerId: z.int(),
  /** The kind of event for which the trigger was configured when the event arrived. */
  kind: z.enum(triggerKinds),
  /** The user of the event; null if it is unmatched. */
  userId: z.nullable(z.int()),
  /** Both ids of the user as they were sent; null for an id that was not sent. */
  userUuid: z.nullable(z.string()),
  externalUserId: z.nullable(z.string()),
  context: z.record(z.string(), z.unknown()),
  /** The friend whom a referral names: the sender's own id of the friend, or the friend's UUID. */
  friendId: z.optional(z.string()),
  state: z.enum(triggerEventStates),
  ...finalization,
  receivedAt: z.string(),
});
export type TriggerEvent = z.infer<typeof TriggerEvent>;

/** The ids of an event's user, and the members that they lead to. */
export interface Identification {
  readonly userUuid: string | null;
  /** The member with `userUuid`, if there is one. */
  readonly member: Member | undefined;
  /** The user with the caller's external id, if there is one. */
  readonly userIdByExternalId: number | undefined;
}

/** The id of an event's user; `unknown` if no user is found; `contradiction` if the two ids belong to two users. */
export type IdentifiedUser = number | 'unknown' | 'contradiction';

/**
 * Identifies the user of an event. If the UUID is unknown, the external id is ignored. Users outside the partnership
 * count as unknown, so callers cannot find out that they exist.
 */
export function identifyUser(
  { userUuid, member, userIdByExternalId }: Identification,
  sides: Pick<Partnership, 'merchantId' | 'partnerId'>,
): IdentifiedUser {
  if (userUuid === null) return userIdByExternalId ?? 'unknown';
  if (!member || !isNamedBy(member, userUuid) || !isAssociated(member, sides)) return 'unknown';
  const isAnother = userIdByExternalId !== undefined && userIdByExternalId !== member.user.id;
  return isAnother ? 'contradiction' : member.user.id;
}

function isAssociated(member: Member, sides: Pick<Partnership, 'merchantId' | 'partnerId'>): boolean {
  return (
    member.associations.some(({ merchantId }) => merchantId === sides.merchantId) ||
    member.memberships.some(({ partnerId }) => partnerId === sides.partnerId)
  );
}

/** The fields of a sent trigger, apart from its name. */
export interface SentTrigger {
  readonly callerId: number;
  readonly userId: number | null;
  readonly userUuid: string | null;
  readonly externalUserId: string | null;
  readonly context: Context;
}

/** Makes the event of a sent trigger. Its awards are decided later. */
export function receiveTrigger(
  trigger: Trigger,
  { merchantId, partnerId }: Partnership,
  sent: SentTrigger,
  { id, uuid, now }: { readonly id: number; readonly uuid: string; readonly now: Date },
): TriggerEvent {
  return {
    ...sent,
    ...pendingFinalization(now.toISOString()),
    id,
    uuid,
    partnershipUuid: trigger.partnershipUuid,
    merchantId,
    partnerId,
    triggerName: trigger.name,
    customTriggerId: trigger.customTriggerId,
    kind: trigger.event,
    context: { ...sent.context },
    ...friendIn(trigger, sent.context),
    state: sent.userId === null ? 'UNMATCHED' : 'RECEIVED',
    receivedAt: now.toISOString(),
  };
}

function friendIn({ event, friendField = '' }: Trigger, context: Context): Pick<TriggerEvent, 'friendId'> {
  const friendId = event === 'REFERRAL' && Object.hasOwn(context, friendField) ? context[friendField] : undefined;
  return typeof friendId === 'string' ? { friendId } : {};
}

/** Finalizes an event when all its awards are written: PROCESSED if it has any, else REJECTED. */
export function finalizeTriggerEvent(event: TriggerEvent, rejection: AwardRejection, now: Date): TriggerEvent {
  return { ...event, ...finalized(event, rejection, now) };
}

/**
 * The award request of a trigger event. Its time is the arrival of the event. The claim key contains the event's UUID,
 * so a trigger that is sent twice is awarded twice. The claim key of a referral contains `referral` instead.
 *
 * @param referral for a referral: the id of the friend's membership, or a digest of an event that names no friend
 */
export function awardRequestForTrigger(event: TriggerEvent, referral?: string): AwardRequest {
  const { id, uuid, kind, customTriggerId, merchantId, receivedAt, context } = event;
  return {
    event: {
      trigger: flowTriggerOf({ event: kind, customTriggerId }),
      at: new Date(receivedAt),
      amountCents: null,
      attributes: attributesOfContext(context),
      numbers: numbersOfContext(context),
    },
    basis: {
      merchantId,
      externalTransactionId: referral ?? uuid,
      kind: referral === undefined ? 'TRIGGER' : 'REFERRAL',
      triggerEvent: { id, uuid, customTriggerId },
      amountCents: 0,
    },
  };
}
