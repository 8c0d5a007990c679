import { InternalEvent } from '../../../shared/contracts/events.ts';
import { integerIdOf } from '../../../shared/domain/ids.ts';
import { awardRequestForTrigger } from '../../../shared/domain/trigger/occurrence-of-trigger.ts';
import { finalizeTriggerEvent } from '../../../shared/domain/trigger/trigger-event.ts';
import { awardAll, awardingStores, loadEarner } from '../../../shared/operations/award.ts';
import { busMessage, consume } from '../../../shared/runtime/consume.ts';
import { once } from '../../../shared/runtime/once.ts';
import { runtime, withStores } from '../../../shared/runtime/runtime.ts';
import { eventChangeWrite, Triggers } from '../../../shared/store/trigger/triggers.ts';

const rewarding = once(() => withStores(runtime(), { ...awardingStores, triggers: Triggers }));
type Rewarding = ReturnType<typeof rewarding>;

/** Rewards a trigger event: what it earns is pending then, as any other transaction. */
export const handler = consume({
  message: busMessage(InternalEvent),
  deps: rewarding,
  handle: ({ detail }, deps) => processTrigger(detail, deps),
});

/**
 * Safe to repeat, from wherever an earlier run ended: the event remembers each award in the award's own
 * write, and each campaign rewards an event once.
 *
 * @throws when the event or its user is not known, or another run is faster; the message comes again
 */
export async function processTrigger({ entityId }: InternalEvent, deps: Rewarding): Promise<void> {
  const event = await deps.triggers.findEvent(integerIdOf(entityId) ?? 0);
  if (event?.uuid !== entityId) throw new Error(`there is no trigger event ${entityId}`);
  const { state, userId, merchantId, partnershipUuid } = event;
  if (state !== 'RECEIVED' || userId === null) return;

  const { thing, rejection } = await awardAll(
    {
      ...awardRequestForTrigger(event),
      earner: (at) => loadEarner({ userId, merchantId, under: ({ uuid }) => uuid === partnershipUuid }, at, deps),
      thing: event,
      changesOf: (changed) => [eventChangeWrite(changed)],
    },
    deps,
  );
  await deps.triggers.changeEvent(finalizeTriggerEvent(thing, rejection, deps.now()));
}
