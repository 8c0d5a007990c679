import { InvalidInputError, PartnershipNotFoundError } from '../../domain/errors.ts';
import { integerIdOf, isUuid } from '../../domain/ids.ts';
import { isSide } from '../../domain/partnership.ts';
import { contextFaults } from '../../domain/trigger/trigger.ts';
import { identifyUser, receiveTrigger, type TriggerEvent } from '../../domain/trigger/trigger-event.ts';
import { Partnerships } from '../../store/campaign/partnerships.ts';
import { Members } from '../../store/member/members.ts';
import { TriggerEventIdTakenError, TriggerEvents } from '../../store/trigger/trigger-events.ts';
import { Triggers } from '../../store/trigger/triggers.ts';
import type { Deps, Replying } from '../operation.ts';
import { decideAndWrite } from '../operation.ts';

export const sendTriggerStores = {
  partnerships: Partnerships,
  members: Members,
  triggers: Triggers,
  triggerEvents: TriggerEvents,
};
type TriggerDeps = Deps<typeof sendTriggerStores> & Replying<TriggerEvent>;

/** A trigger that one side of a partnership sends. */
export interface TriggerRequest {
  readonly callerId: number;
  readonly partnershipUuid: string;
  readonly triggerName: string;
  readonly userUuid: string | null;
  /** The caller's own id of the user. */
  readonly externalUserId: string | null;
  readonly transactionContext: Readonly<Record<string, unknown>>;
}

/**
 * Records a trigger event. A consumer awards it afterwards if its user is known.
 *
 * @throws PartnershipNotFoundError
 * @throws InvalidInputError when the trigger is not configured, the context does not match its schema, or the two ids
 * belong to two users
 */
export async function sendTrigger(request: TriggerRequest, deps: TriggerDeps): Promise<TriggerEvent> {
  const { callerId, userUuid, externalUserId, transactionContext: context } = request;
  const { partnership, trigger, member, userIdByExternalId } = await loadNamed(request, deps);
  if (!partnership || partnership.isDeleted || !isSide(callerId, partnership)) throw new PartnershipNotFoundError();
  if (!trigger?.isActive) throw new InvalidInputError([triggerNotConfigured]);

  const user = identifyUser({ userUuid, member, userIdByExternalId }, partnership);
  const faults = contextFaults(trigger.contextSchema, context).map(({ field, ...fault }) => ({
    ...fault,
    path: ['transactionContext', field],
  }));
  if (user === 'contradiction') faults.push(anotherUser);
  if (faults.length > 0) throw new InvalidInputError(faults);

  const userId = typeof user === 'number' ? user : null;
  return decideAndWrite(
    {
      subject: `the integer id of a trigger event of partnership ${partnership.uuid}`,
      load: () => deps.nextIds(),
      write: async (ids) => {
        const sent = { callerId, userId, userUuid, externalUserId, context };
        const event = receiveTrigger(trigger, partnership, sent, { ...ids, now: deps.now() });
        await deps.triggerEvents.record(event, deps.nextUuid(), deps.replyWrites?.(event));
        return event;
      },
      // The chance is one in two million that two events of the same second get the same integer id.
      conflicts: [TriggerEventIdTakenError],
    },
    deps,
  );
}

/** Loads the items that the request names, in one round trip. The access checks follow. */
async function loadNamed(request: TriggerRequest, { partnerships, triggers, members }: TriggerDeps) {
  const { callerId, partnershipUuid, triggerName, userUuid, externalUserId } = request;
  const userId = userUuid === null ? undefined : integerIdOf(userUuid);
  const isPossible = isUuid(partnershipUuid);
  const [partnership, trigger, member, userIdByExternalId] = await Promise.all([
    isPossible ? partnerships.find(partnershipUuid) : undefined,
    isPossible ? triggers.find(partnershipUuid, triggerName) : undefined,
    userId === undefined ? undefined : members.find(userId),
    externalUserId === null ? undefined : members.findUserId(callerId, externalUserId),
  ]);
  return { partnership, trigger, member, userIdByExternalId };
}

/** The fault of a trigger name that is not configured, or not active. */
export const triggerNotConfigured = {
  path: ['triggerName'],
  code: 'not_configured',
  message: 'is not an active trigger of the partnership',
};

const anotherUser = {
  path: ['externalUserId'],
  code: 'another_user',
  message: 'belongs to another user than user_uuid',
};
