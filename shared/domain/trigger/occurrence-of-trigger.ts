import type { AwardRequest } from '../award/decide-awards.ts';
import { attributesOfContext } from './context-attributes.ts';
import { flowTriggerOf } from './trigger.ts';
import type { TriggerEvent } from './trigger-event.ts';

/**
 * A trigger event as something to be rewarded, by the campaigns that ran when it came. It is rewarded once
 * under each of them, by its UUID: the same thing sent twice is two events.
 */
export function awardRequestForTrigger(event: TriggerEvent): AwardRequest {
  const { id, uuid, kind, customTriggerId, merchantId, receivedAt, context } = event;
  return {
    event: {
      trigger: flowTriggerOf({ event: kind, customTriggerId }),
      at: new Date(receivedAt),
      amountCents: null,
      attributes: attributesOfContext(context),
    },
    basis: {
      merchantId,
      externalTransactionId: uuid,
      kind: 'TRIGGER',
      triggerEvent: { id, uuid, customTriggerId },
      amountCents: 0,
    },
  };
}
