import { integerIdOf } from '../../../shared/domain/ids.ts';
import { isSide, type Partnership } from '../../../shared/domain/partnership.ts';
import { contextFaults } from '../../../shared/domain/trigger/context-schema.ts';
import type { Trigger } from '../../../shared/domain/trigger/trigger.ts';
import {
  type Identification,
  type IdentifiedUser,
  identifyUser,
  receiveTrigger,
} from '../../../shared/domain/trigger/trigger-event.ts';
import { type Call, endpoint } from '../../../shared/http/endpoint.ts';
import type { Fault } from '../../../shared/http/refusal.ts';
import { invalidRequest, pointerOf } from '../../../shared/http/validation.ts';
import { recordTriggerEvent } from '../../../shared/operations/record-trigger-event.ts';
import { Campaigns } from '../../../shared/store/campaign/campaigns.ts';
import { Members } from '../../../shared/store/member/members.ts';
import { Triggers } from '../../../shared/store/trigger/triggers.ts';
import { contract } from './contract.ts';

const stores = { campaigns: Campaigns, members: Members, triggers: Triggers };

type TriggerCall = Call<typeof contract, typeof stores>;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const handler = endpoint(contract, stores, async (call) => {
  const { body, caller, platform, refuse } = call;
  const { partnership, trigger, identification } = await read(call);
  if (!partnership || partnership.isDeleted || !isSide(caller.organisationId, partnership)) {
    return refuse('partnership_does_not_exist', 'The partnership does not exist');
  }
  if (!trigger?.isActive) throw invalidRequest(contract, [notConfigured]);

  const context = body.transaction_context ?? {};
  const user = identifyUser(identification, partnership);
  const faults = faultsOf(trigger, context, user);
  if (faults.length > 0) throw invalidRequest(contract, faults);

  const receive = receiveTrigger(trigger, partnership, {
    callerId: caller.organisationId,
    userId: typeof user === 'number' ? user : null,
    userUuid: body.user_uuid ?? null,
    externalUserId: body.external_user_id ?? null,
    context,
  });
  const now = platform.now();
  const event = await recordTriggerEvent((ids) => receive({ ...ids, now }), platform);
  return { trigger_event_id: event.uuid };
});

interface Found {
  readonly partnership: Partnership | undefined;
  readonly trigger: Trigger | undefined;
  readonly identification: Identification;
}

/** All that the request names, at once: what the caller may not see is sorted out afterwards. */
async function read({ params, body, caller, platform }: TriggerCall): Promise<Found> {
  const { user_uuid: userUuid = null, external_user_id: externalId } = body;
  const userId = userUuid === null ? undefined : integerIdOf(userUuid);
  const isPartnershipId = uuid.test(params.id);
  const [partnership, trigger, member, userIdByExternalId] = await Promise.all([
    isPartnershipId ? platform.campaigns.findPartnership(params.id) : undefined,
    isPartnershipId ? platform.triggers.find(params.id, body.trigger_name) : undefined,
    userId === undefined ? undefined : platform.members.find(userId),
    externalId === undefined ? undefined : platform.members.findUserId(caller.organisationId, externalId),
  ]);
  return { partnership, trigger, identification: { userUuid, member, userIdByExternalId } };
}

const notConfigured: Fault = {
  pointer: '/trigger_name',
  code: 'not_configured',
  message: 'is not an active trigger of the partnership',
};

const contradiction: Fault = {
  pointer: '/external_user_id',
  code: 'another_user',
  message: 'is of another user than user_uuid',
};

function faultsOf(trigger: Trigger, context: Record<string, unknown>, user: IdentifiedUser): Fault[] {
  const ofContext = contextFaults(trigger.contextSchema, context).map(({ field, ...fault }) => ({
    ...fault,
    pointer: pointerOf(['transaction_context', field]),
  }));
  return user === 'contradiction' ? [...ofContext, contradiction] : ofContext;
}
