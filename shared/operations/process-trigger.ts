import type { InternalEvent } from '../contracts/events.ts';
import { integerIdOf } from '../domain/ids.ts';
import { awardRequestForTrigger, finalizeTriggerEvent, type TriggerEvent } from '../domain/trigger/trigger-event.ts';
import { eventChangeWrite, Triggers } from '../store/trigger/triggers.ts';
import { awardEvent, awardEventStores, loadEarner } from './award-event.ts';
import { awardBatch } from './award-together.ts';
import type { Deps } from './operation.ts';

export const processTriggerStores = { ...awardEventStores, triggers: Triggers };
type TriggerDeps = Deps<typeof processTriggerStores>;

/** A trigger event whose user is known. */
type AwardableTriggerEvent = TriggerEvent & { readonly userId: number };

/**
 * Awards trigger events. Trigger events of one member are awarded together. The new transactions are pending until the
 * program confirms them.
 *
 * @returns for each event, the error of its trigger event (as {@link processTrigger} throws it), or undefined when it
 * is done
 */
export function processTriggers(events: readonly InternalEvent[], deps: TriggerDeps): Promise<unknown[]> {
  return awardBatch<AwardableTriggerEvent>(
    events.map(({ entityId }) => entityId),
    {
      find: (entityId) => findReceived(entityId, deps),
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
 * @throws Error when the trigger event or its user is not found, or another run is faster
 */
export async function processTrigger({ entityId }: Pick<InternalEvent, 'entityId'>, deps: TriggerDeps): Promise<void> {
  const event = await findReceived(entityId, deps);
  if (!event) return;
  const { record, rejection } = await awardEvent(
    {
      ...awardRequestForTrigger(event),
      loadEarner: (at) => loadTriggerEarner(event, at, deps),
      record: event,
      writesFor: (changed) => [eventChangeWrite(changed)],
    },
    deps,
  );
  await deps.triggers.changeEvent(finalizeTriggerEvent(record, rejection, deps.now()));
}

/** Finds the trigger event of a message. Returns undefined when its state is no longer RECEIVED, or it has no user. */
async function findReceived(
  entityId: string,
  { triggers }: Pick<TriggerDeps, 'triggers'>,
): Promise<AwardableTriggerEvent | undefined> {
  const event = await triggers.findEvent(integerIdOf(entityId) ?? 0);
  if (event?.uuid !== entityId) throw new Error(`there is no trigger event ${entityId}`);
  const { state, userId } = event;
  return state === 'RECEIVED' && userId !== null ? { ...event, userId } : undefined;
}

function loadTriggerEarner(event: AwardableTriggerEvent, at: Date, deps: TriggerDeps) {
  return loadEarner({ ...event, under: ({ uuid }) => uuid === event.partnershipUuid }, at, deps);
}
