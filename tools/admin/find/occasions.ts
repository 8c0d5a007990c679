import { runningCampaigns } from '../../../shared/domain/award/authenticate.ts';
import { type Simulation, simulate } from '../../../shared/domain/award/simulate.ts';
import { integerIdOf, parseIntegerId } from '../../../shared/domain/ids.ts';
import { awardRequestForOrder } from '../../../shared/domain/order/occurrence-of-order.ts';
import type { Order } from '../../../shared/domain/order/order.ts';
import { awardRequestForTrigger } from '../../../shared/domain/trigger/occurrence-of-trigger.ts';
import type { TriggerEvent } from '../../../shared/domain/trigger/trigger-event.ts';
import { loadEarner } from '../../../shared/operations/award-event.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { OperatorError } from '../cli/errors.ts';
import { findOrganisationOfKind, organisationText } from './organisations.ts';

/** What was told to the platform to be rewarded. */
export type Occasion =
  | { readonly kind: 'order'; readonly told: Order }
  | { readonly kind: 'event'; readonly told: TriggerEvent };

/**
 * The order of a UUID, the trigger event of an id or a UUID; where a merchant is named, the order of its own id.
 *
 * @throws OperatorError when the merchant that is named has none
 */
export async function findOccasion(
  platform: Platform,
  text: string,
  of: string | undefined,
): Promise<Occasion | undefined> {
  if (of !== undefined) return { kind: 'order', told: await findOwnOrder(platform, text, of) };
  const uuid = text.toLowerCase();
  const id = parseIntegerId(text) ?? integerIdOf(uuid);
  if (id === undefined) return undefined;
  const event = await platform.triggers.findEvent(id);
  if (event && (text === String(event.id) || uuid === event.uuid)) return { kind: 'event', told: event };
  const order = await platform.orders.find(uuid);
  return order && { kind: 'order', told: order };
}

async function findOwnOrder(platform: Platform, externalOrderId: string, of: string): Promise<Order> {
  const merchant = await findOrganisationOfKind(platform, of, 'MERCHANT');
  const found = await platform.orders.findByExternalId({ merchantId: merchant.id, externalOrderId });
  if (found) return found;
  throw new OperatorError(
    `${organisationText(merchant)} told of no order ${externalOrderId}; what endpoint 2 created has reward transactions alone`,
  );
}

/**
 * What the campaigns that gave nothing for it would decide, for when it came, of the member as it is now. Those
 * that wait for other things to happen are left out.
 */
export async function otherCampaigns(platform: Platform, occasion: Occasion): Promise<Simulation[]> {
  const { userId, merchantId, transactionIds } = occasion.told;
  if (userId === null) return [];
  const { event: rewardEvent } =
    occasion.kind === 'order' ? awardRequestForOrder(occasion.told) : awardRequestForTrigger(occasion.told);
  const earner = await loadEarner({ userId, merchantId, ...scopeOf(occasion) }, rewardEvent.at, platform);
  const rewards = await Promise.all(transactionIds.map((id) => platform.transactions.find(id)));
  const trial = {
    member: earner.member,
    event: rewardEvent,
    isRequest: false,
    organisationId: merchantId,
    partnerships: earner.partnerships,
  };
  const rewarding = new Set(rewards.map((reward) => reward?.campaignId));
  return runningCampaigns({ ...earner, now: rewardEvent.at })
    .filter(({ campaign }) => campaign.type === 'EARN' && !rewarding.has(campaign.id))
    .map(({ campaign, partnership }) => simulate(campaign, partnership, trial))
    .filter(({ decision }) => decision === null || !isOfOthers(decision.flows));
}

/** An event counts under its own partnership. */
const scopeOf = ({ kind, told }: Occasion) =>
  kind === 'event' ? { under: ({ uuid }: { readonly uuid: string }) => uuid === told.partnershipUuid } : {};

const isOfOthers = (flows: NonNullable<Simulation['decision']>['flows']) =>
  flows.length > 0 && flows.every(({ result }) => result === 'OTHER_TRIGGER');
