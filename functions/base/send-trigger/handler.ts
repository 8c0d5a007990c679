import { endpoint } from '../../../shared/http/endpoint.ts';
import { sendTrigger, sendTriggerStores } from '../../../shared/operations/send-trigger.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, sendTriggerStores, async ({ params, body, caller, deps }) => {
  const event = await sendTrigger(
    {
      callerId: caller.organisationId,
      partnershipUuid: params.id,
      triggerName: body.trigger_name,
      userUuid: body.user_uuid ?? null,
      externalUserId: body.external_user_id ?? null,
      transactionContext: body.transaction_context ?? {},
    },
    deps,
  );
  return { trigger_event_id: event.uuid };
});
