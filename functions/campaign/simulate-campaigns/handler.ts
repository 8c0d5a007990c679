import { simulate } from '../../../shared/domain/award/simulate.ts';
import type { RewardEvent } from '../../../shared/domain/campaign/evaluation/gather-facts.ts';
import { integerIdOf } from '../../../shared/domain/ids.ts';
import { isAssociated, type Member } from '../../../shared/domain/member/member.ts';
import { centsOfDollars } from '../../../shared/domain/money.ts';
import type { Partnership } from '../../../shared/domain/partnership.ts';
import { attributesOfContext } from '../../../shared/domain/trigger/context-attributes.ts';
import { contextFaults } from '../../../shared/domain/trigger/context-schema.ts';
import { flowTriggerOf, type Trigger } from '../../../shared/domain/trigger/trigger.ts';
import { type Call, endpoint } from '../../../shared/http/endpoint.ts';
import { invalidRequest, pointerOf } from '../../../shared/http/validation.ts';
import { simulationView } from '../../../shared/http/views/simulation.ts';
import { Campaigns } from '../../../shared/store/campaign/campaigns.ts';
import { Members } from '../../../shared/store/member/members.ts';
import { Triggers } from '../../../shared/store/trigger/triggers.ts';
import { contract } from './contract.ts';

const stores = { campaigns: Campaigns, members: Members, triggers: Triggers };

type SimulationCall = Call<typeof contract, typeof stores>;

/** Of the things that a request names, those come first that the others belong to. */
export const handler = endpoint(contract, stores, async (call) => {
  const { body, caller, platform } = call;
  const [member, { running, partnerships }, trigger] = await Promise.all([
    memberOf(call),
    runningOf(call),
    triggerOf(call),
  ]);

  const asked = running.filter(
    ({ campaign, partnership }) =>
      (body.campaign_id === undefined || campaign.id === body.campaign_id) &&
      (body.partner_id === undefined || campaign.partnerId === body.partner_id) &&
      (body.partnership_id === undefined || partnership.uuid === body.partnership_id),
  );
  if (asked.length === 0) return call.refuse('campaign_does_not_exist', 'There is no such campaign');

  const at = body.now === undefined ? platform.now() : new Date(body.now);
  const trial = {
    member,
    happening: happeningOf(call, trigger, at),
    isRequest: body.transaction_amount !== undefined,
    organisationId: caller.organisationId,
    partnerships,
  };
  const simulations = asked.map(({ campaign, partnership }) => simulate(campaign, partnership, trial));
  return { simulated_at: at.toISOString(), campaigns: simulations.map(simulationView) };
});

/** The user, when it is one of the caller's. */
async function memberOf({ body, caller, platform: { members }, refuse }: SimulationCall): Promise<Member> {
  const { user_uuid: uuid, user_id: id, external_user_id: externalId } = body;
  const userId =
    externalId === undefined
      ? (id ?? integerIdOf(uuid ?? ''))
      : await members.findUserId(caller.organisationId, externalId);
  const member = userId === undefined ? undefined : await members.find(userId);
  const isMeant = member !== undefined && (uuid === undefined || member.user.uuid === uuid);
  if (!isMeant || !isAssociated(member, caller.organisationId)) {
    return refuse('user_does_not_exist', 'The user does not exist');
  }
  return member;
}

/**
 * The caller's campaigns, on whichever side it is, with their partnerships: all that are not over now, and those
 * that were not at the time that is asked for.
 */
async function runningOf({ body, caller: { organisationId }, platform: { campaigns, now } }: SimulationCall) {
  const at = body.now === undefined ? now() : earlier(now(), new Date(body.now));
  const sides = ['byMerchant', 'byPartner'] as const;
  const [found, partnerships] = await Promise.all([
    Promise.all(sides.map((side) => campaigns.runningOf(organisationId, at, side))),
    Promise.all(sides.map((side) => campaigns.partnershipsOf(side, organisationId))).then((all) => all.flat()),
  ]);
  const running = found.flat().flatMap((campaign) => {
    const partnership = partnerships.find(({ uuid }) => uuid === campaign.partnershipUuid);
    return partnership ? [{ campaign, partnership }] : [];
  });
  return { running, partnerships };
}

const earlier = (one: Date, other: Date) => (one < other ? one : other);

/** The trigger that is named, when its partnership is the caller's. */
async function triggerOf({ body, caller, platform, refuse }: SimulationCall): Promise<Trigger | undefined> {
  const { trigger_name: name, partnership_id: uuid } = body;
  if (name === undefined || uuid === undefined) return undefined;
  const [partnership, trigger] = await Promise.all([
    platform.campaigns.findPartnership(uuid),
    platform.triggers.find(uuid, name),
  ]);
  if (!partnership || !isOwn(partnership, caller.organisationId)) {
    return refuse('partnership_does_not_exist', 'The partnership does not exist');
  }
  if (!trigger?.isActive) {
    const message = 'is not an active trigger of the partnership';
    throw invalidRequest(contract, [{ pointer: '/trigger_name', code: 'not_configured', message }]);
  }
  return trigger;
}

function isOwn({ merchantId, partnerId, isDeleted }: Partnership, organisationId: number): boolean {
  return !isDeleted && (merchantId === organisationId || partnerId === organisationId);
}

/** What would happen, by what the body tells of one of the three endpoints. */
function happeningOf({ body }: SimulationCall, trigger: Trigger | undefined, at: Date): RewardEvent {
  if (trigger) {
    const context = body.transaction_context ?? {};
    const faults = contextFaults(trigger.contextSchema, context);
    if (faults.length > 0) {
      const located = faults.map(({ field, ...fault }) => ({
        ...fault,
        pointer: pointerOf(['transaction_context', field]),
      }));
      throw invalidRequest(contract, located);
    }
    return { trigger: flowTriggerOf(trigger), at, amountCents: null, attributes: attributesOfContext(context) };
  }
  const dollars = body.transaction_amount === undefined ? undefined : centsOfDollars(body.transaction_amount);
  const orderCents = (body.transaction_subtotal ?? 0) - (body.transaction_discount ?? 0);
  return { trigger: { type: 'SPEND' }, at, amountCents: dollars ?? orderCents };
}
