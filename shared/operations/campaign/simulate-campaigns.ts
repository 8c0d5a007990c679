import { type Simulation, simulate } from '../../domain/award/simulate.ts';
import type { RewardEvent } from '../../domain/campaign/evaluation/gather-facts.ts';
import {
  CampaignNotFoundError,
  InvalidInputError,
  PartnershipNotFoundError,
  UserNotFoundError,
} from '../../domain/errors.ts';
import { integerIdOf } from '../../domain/ids.ts';
import { isAssociated, isNamedBy, type Member, seenAt } from '../../domain/member/member.ts';
import { describePurchase, type PurchaseDetails } from '../../domain/order/purchase-details.ts';
import { isSide } from '../../domain/partnership.ts';
import { attributesOfContext, numbersOfContext } from '../../domain/trigger/context-attributes.ts';
import { contextFaults, flowTriggerOf, type Trigger } from '../../domain/trigger/trigger.ts';
import { Campaigns } from '../../store/campaign/campaigns.ts';
import { Partnerships } from '../../store/campaign/partnerships.ts';
import { Members } from '../../store/member/members.ts';
import { Triggers } from '../../store/trigger/triggers.ts';
import { triggerNotConfigured } from '../award/send-trigger.ts';
import type { Deps } from '../operation.ts';

export const simulateCampaignsStores = {
  campaigns: Campaigns,
  partnerships: Partnerships,
  members: Members,
  triggers: Triggers,
};
type SimulationDeps = Deps<typeof simulateCampaignsStores>;

/** The event of a simulation: the request of endpoint 1, 3 or 11. */
export type SimulatedEvent =
  | { readonly kind: 'purchase' | 'order'; readonly amountCents: number; readonly details: PurchaseDetails }
  | {
      readonly kind: 'trigger';
      readonly triggerName: string;
      readonly partnershipUuid: string;
      readonly transactionContext: Readonly<Record<string, unknown>>;
    };

/** A simulation: one of the user's ids, the event, and the campaigns to try. */
export interface SimulationRequest {
  readonly organisationId: number;
  readonly user: {
    readonly uuid: string | undefined;
    readonly id: number | undefined;
    readonly externalId: string | undefined;
  };
  readonly event: SimulatedEvent;
  readonly campaignId: number | undefined;
  readonly partnerId: number | undefined;
  readonly partnershipUuid: string | undefined;
  /** The time of the event; the present by default. */
  readonly at: Date | undefined;
}

/** The outcome of every campaign that was tried. */
export interface Simulations {
  readonly at: Date;
  readonly simulations: readonly Simulation[];
}

/**
 * Returns the points that an organisation's campaigns would award or take for an event. Writes nothing.
 *
 * @throws UserNotFoundError, PartnershipNotFoundError, CampaignNotFoundError
 * @throws InvalidInputError when the trigger is not configured, or the context does not match its schema
 */
export async function simulateCampaigns(request: SimulationRequest, deps: SimulationDeps): Promise<Simulations> {
  const { organisationId, event, campaignId, partnerId, partnershipUuid } = request;
  const [member, { offered, partnerships }, trigger] = await Promise.all([
    findMember(request, deps),
    findOffered(request, deps),
    findTrigger(request, deps),
  ]);
  const tried = offered.filter(
    ({ campaign, partnership }) =>
      (campaignId === undefined || campaign.id === campaignId) &&
      (partnerId === undefined || campaign.partnerId === partnerId) &&
      (partnershipUuid === undefined || partnership.uuid === partnershipUuid),
  );
  if (tried.length === 0) throw new CampaignNotFoundError('There is no such campaign');

  const at = request.at ?? deps.now();
  const trial = {
    member,
    event: toRewardEvent(event, trigger, at),
    isRequest: event.kind === 'purchase',
    organisationId,
    partnerships,
  };
  return { at, simulations: tried.map(({ campaign, partnership }) => simulate(campaign, partnership, trial)) };
}

async function findMember(
  { organisationId, user: { uuid, id, externalId }, at }: SimulationRequest,
  { members, now }: SimulationDeps,
): Promise<Member> {
  const userId =
    externalId === undefined ? (id ?? integerIdOf(uuid ?? '')) : await members.findUserId(organisationId, externalId);
  const member = userId === undefined ? undefined : await members.find(userId);
  const isNamed = member !== undefined && (uuid === undefined || isNamedBy(member, uuid));
  if (!isNamed || !isAssociated(member, organisationId)) throw new UserNotFoundError();
  return seenAt(member, organisationId, at ?? now());
}

/**
 * Finds the campaigns of the organisation's partnerships, on either side. Leaves out campaigns that had ended before
 * the earlier of two times: the event's time and now.
 */
async function findOffered({ organisationId, at }: SimulationRequest, deps: SimulationDeps) {
  const present = deps.now();
  const from = at && at < present ? at : present;
  const sides = ['byMerchant', 'byPartner'] as const;
  const [found, ofSides] = await Promise.all([
    Promise.all(sides.map((side) => deps.campaigns.runningOf(organisationId, from, side))),
    Promise.all(sides.map((side) => deps.partnerships.of(side, organisationId))),
  ]);
  const partnerships = ofSides.flat();
  const offered = found.flat().flatMap((campaign) => {
    const partnership = partnerships.find(({ uuid }) => uuid === campaign.partnershipUuid);
    return partnership ? [{ campaign, partnership }] : [];
  });
  return { offered, partnerships };
}

async function findTrigger(
  { organisationId, event }: SimulationRequest,
  deps: SimulationDeps,
): Promise<Trigger | undefined> {
  if (event.kind !== 'trigger') return undefined;
  const [partnership, trigger] = await Promise.all([
    deps.partnerships.find(event.partnershipUuid),
    deps.triggers.find(event.partnershipUuid, event.triggerName),
  ]);
  if (!partnership || partnership.isDeleted || !isSide(organisationId, partnership)) {
    throw new PartnershipNotFoundError();
  }
  if (!trigger?.isActive) throw new InvalidInputError([triggerNotConfigured]);
  return trigger;
}

function toRewardEvent(event: SimulatedEvent, trigger: Trigger | undefined, at: Date): RewardEvent {
  if (event.kind !== 'trigger' || !trigger) {
    const purchase = event.kind === 'trigger' ? undefined : event;
    const details = purchase && describePurchase(purchase.details);
    return { ...details, trigger: { type: 'SPEND' }, at, amountCents: purchase?.amountCents ?? null };
  }
  const context = event.transactionContext;
  const faults = contextFaults(trigger.contextSchema, context);
  if (faults.length > 0) {
    throw new InvalidInputError(
      faults.map(({ field, ...fault }) => ({ ...fault, path: ['transactionContext', field] })),
    );
  }
  return {
    trigger: flowTriggerOf(trigger),
    at,
    amountCents: null,
    attributes: attributesOfContext(context),
    numbers: numbersOfContext(context),
  };
}
