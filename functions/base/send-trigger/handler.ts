import type { TriggerEvent } from '../../../shared/domain/trigger/trigger-event.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { sendTrigger, sendTriggerStores } from '../../../shared/operations/award/send-trigger.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, sendTriggerStores, ({ params, body, caller, replyWith }) => {
  const request = {
    callerId: caller.organisationId,
    partnershipUuid: params.id,
    triggerName: body.trigger_name,
    userUuid: body.user_uuid ?? null,
    externalUserId: body.external_user_id ?? null,
    transactionContext: body.transaction_context ?? {},
  };
  return replyWith(
    ({ uuid }: TriggerEvent) => ({ trigger_event_id: uuid }),
    (deps) => sendTrigger(request, deps),
  );
});
