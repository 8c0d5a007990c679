import * as z from 'zod/mini';
import { type AwardRejection, finalization, finalized, pendingFinalization } from '../award/finalization.ts';
import type { Member } from '../member/member.ts';
import type { Partnership } from '../partnership.ts';
import type { Context } from './context-schema.ts';
import { type Trigger, triggerKinds } from './trigger.ts';

/**
 * The states of a trigger event and the ways from one to the next, as data: what may change is read from
 * here, by the core and by the conditions of the writes. UNMATCHED is of no user that the platform knows,
 * so of no reward.
 */
export const triggerEventTransitions = {
  RECEIVED: ['PROCESSED', 'REJECTED'],
  UNMATCHED: [],
  PROCESSED: [],
  REJECTED: [],
} as const satisfies Record<string, readonly string[]>;

export type TriggerEventState = keyof typeof triggerEventTransitions;
export const triggerEventStates = Object.keys(triggerEventTransitions) as [TriggerEventState, ...TriggerEventState[]];

/** The states that an event may be in for it to become `next`. */
export function triggerEventStatesBefore(next: TriggerEventState): TriggerEventState[] {
  return triggerEventStates.filter((state) =>
    (triggerEventTransitions[state] as readonly TriggerEventState[]).includes(next),
  );
}

/** A trigger that was sent, as it was sent. */
export const TriggerEvent = z.object({
  id: z.int(),
  uuid: z.string(),
  partnershipUuid: z.string(),
  merchantId: z.int(),
  partnerId: z.int(),
  /** The organisation that sent it, whose identifier of the user `externalUserId` is. */
  callerId: z.int(),
  triggerName: z.string(),
  customTriggerId: z.int(),
  /** What it means, by the trigger's configuration when it came. */
  kind: z.enum(triggerKinds),
  /** The user that it was found to be about; null when it is unmatched. */
  userId: z.nullable(z.int()),
  /** The two identifications as they were sent; null where there was none. */
  userUuid: z.nullable(z.string()),
  externalUserId: z.nullable(z.string()),
  context: z.record(z.string(), z.unknown()),
  state: z.enum(triggerEventStates),
  ...finalization,
  receivedAt: z.string(),
});
export type TriggerEvent = z.infer<typeof TriggerEvent>;

/** Whom an event names, and what was found by it. */
export interface Identification {
  readonly userUuid: string | null;
  /** The member of that UUID, if there is one. */
  readonly member: Member | undefined;
  /** The user whom the caller knows by the external id that it sent, if there is one. */
  readonly userIdByExternalId: number | undefined;
}

/** The user that an event is about: its id, nobody, or two that contradict each other. */
export type IdentifiedUser = number | 'nobody' | 'contradiction';

/**
 * Finds the user of an event. A UUID is the platform's own, so one that leads nowhere is wrong and
 * nothing else can make up for it; an external id may just not be known yet. Users who have nothing to
 * do with the partnership are not told from users who do not exist.
 */
export function identifyUser(
  { userUuid, member, userIdByExternalId }: Identification,
  sides: Pick<Partnership, 'merchantId' | 'partnerId'>,
): IdentifiedUser {
  if (userUuid === null) return userIdByExternalId ?? 'nobody';
  if (member?.user.uuid !== userUuid || !isAssociated(member, sides)) return 'nobody';
  const isAnother = userIdByExternalId !== undefined && userIdByExternalId !== member.user.id;
  return isAnother ? 'contradiction' : member.user.id;
}

function isAssociated(member: Member, sides: Pick<Partnership, 'merchantId' | 'partnerId'>): boolean {
  return (
    member.associations.some(({ merchantId }) => merchantId === sides.merchantId) ||
    member.memberships.some(({ partnerId }) => partnerId === sides.partnerId)
  );
}

/** What was sent, beside the trigger that it names. */
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
    state: sent.userId === null ? 'UNMATCHED' : 'RECEIVED',
    receivedAt: now.toISOString(),
  };
}

/** The event when everything that it earns is written: rejected when that is nothing. */
export function finalizeTriggerEvent(event: TriggerEvent, rejection: AwardRejection, now: Date): TriggerEvent {
  return { ...event, ...finalized(event, rejection, now) };
}
