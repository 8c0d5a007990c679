import type { Occurrence } from '../award/decide-awards.ts';
import { attributesOfContext } from './context-attributes.ts';
import { flowTriggerOf } from './trigger.ts';
import type { TriggerEvent } from './trigger-event.ts';

/**
 * A trigger event as something to be rewarded, by the campaigns that ran when it came. It is rewarded once
 * under each of them, by its UUID: the same thing sent twice is two events.
 */
export function occurrenceOfTrigger(event: TriggerEvent): Occurrence {
  const { id, uuid, kind, customTriggerId, merchantId, receivedAt, context } = event;
  return {
    happening: {
      trigger: flowTriggerOf({ event: kind, customTriggerId }),
      at: new Date(receivedAt),
      amountCents: null,
      attributes: attributesOfContext(context),
    },
    occasion: {
      merchantId,
      externalTransactionId: uuid,
      occasion: 'TRIGGER',
      triggerEvent: { id, uuid, customTriggerId },
      amountCents: 0,
    },
  };
}
