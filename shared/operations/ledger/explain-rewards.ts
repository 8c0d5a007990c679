import { runningCampaigns } from '../../domain/award/decide-awards.ts';
import { type Simulation, simulate } from '../../domain/award/simulate.ts';
import type { Campaign } from '../../domain/campaign/document/campaign.ts';
import type { Decision } from '../../domain/campaign/evaluation/decision.ts';
import { integerIdOf, parseIntegerId } from '../../domain/ids.ts';
import type { LedgerEntry } from '../../domain/ledger/ledger-entry.ts';
import type { RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import type { Order } from '../../domain/order/order.ts';
import { awardRequestForOrder } from '../../domain/order/order.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { type PaymentPosition, paymentPosition } from '../../domain/payment/payment-position.ts';
import type { TriggerEvent } from '../../domain/trigger/trigger-event.ts';
import { awardRequestForTrigger } from '../../domain/trigger/trigger-event.ts';
import { Links } from '../../store/connect/connect.ts';
import { Ledger } from '../../store/ledger/ledger.ts';
import { TriggerEvents } from '../../store/trigger/trigger-events.ts';
import { awardEventStores, loadEarner } from '../award/award-event.ts';
import { NotFoundError } from '../errors.ts';
import type { Deps } from '../operation.ts';
import { loadOrganisationNames } from '../organisation/find-organisation.ts';
import { loadTimeZone } from '../partnership/load-time-zone.ts';
import {
  findPurchase,
  findPurchaseStores,
  loadPurchase,
  type NamedPurchase,
  type Purchase,
} from '../purchase/find-purchase.ts';
import { loadTierNames, type TierNameOf, tierNamesStores } from '../registry/tier-names.ts';

const explainRewardsStores = {
  ...awardEventStores,
  ...findPurchaseStores,
  ...tierNamesStores,
  ledger: Ledger,
  links: Links,
  triggerEvents: TriggerEvents,
};
export type ExplainRewardsDeps = Deps<typeof explainRewardsStores>;

/** A stored reward transaction with everything that explains it. */
export interface ExplainedTransaction {
  readonly transaction: RewardTransaction;
  readonly decision: Decision;
  /** The transaction that the explained transaction reverses. */
  readonly original: RewardTransaction | undefined;
  /** The confirmed reversals and restorations of the transaction, oldest first. */
  readonly reversals: readonly RewardTransaction[];
  /** The reversal by which an operator reversed everything that was left of the transaction, or of its original. */
  readonly byOperator: RewardTransaction | undefined;
  /** Whether the transaction reverses a reward because points paid for the purchase. No money was returned then. */
  readonly isPaidWithPoints: boolean;
  /** The payment, reported by a payment platform, that led to the transaction: to a reward or to its reversal. */
  readonly payment: { readonly payment: Payment; readonly position: PaymentPosition } | undefined;
  /**
   * The points that the transaction settled, as in the ledger: below zero when points that came back settled what the
   * member owed; 0 when the transaction settled nothing.
   */
  readonly settledPoints: number;
  readonly campaign: Campaign | undefined;
  readonly merchantName: string;
  readonly partnerName: string;
  readonly tierNameOf: TierNameOf;
}

/** An order or trigger event: a caller sent it to the platform to be rewarded. */
export type AwardSource =
  | { readonly kind: 'order'; readonly order: Order }
  | { readonly kind: 'event'; readonly event: TriggerEvent };

/** An order or trigger event with its rewards. */
export interface ExplainedSource {
  readonly source: AwardSource;
  readonly transactions: readonly RewardTransaction[];
  /**
   * For each campaign without a reward, the decision that it would make now. The decision at the time of the event was
   * not stored.
   */
  readonly simulations: readonly Simulation[];
  /** The purchase of an order, with its tokens, payments and refused requests. Undefined for a trigger event. */
  readonly purchase: Purchase | undefined;
  readonly merchantName: string;
  readonly tierNameOf: TierNameOf;
  /** The time zone of a trigger event's partnership, or of an order's merchant. */
  readonly timeZone: string;
}

/** The link of an account, with the decisions of the connect-only campaigns that ran at that time. */
export interface ExplainedLink {
  readonly membershipId: number;
  readonly userId: number;
  readonly decisions: readonly Decision[];
  readonly tierNameOf: (statusTierId: number) => string | undefined;
}

/** The text that identifies a transaction, purchase or event. */
export interface RewardReference {
  /**
   * With `merchant`: the merchant's own id of the order, and no other id. Without it:
   *
   * - the id or UUID of a transaction or trigger event
   * - the id of an account of a member
   * - the UUID of an order
   * - the `authentication_id` of endpoint 1, even of a refused request
   */
  readonly id: string;
  /** Id or exact name of the merchant. */
  readonly merchant?: string | undefined;
}

/**
 * Explains a reward transaction, the rewards of a purchase or trigger event, or which connect-only campaigns counted an
 * account.
 *
 * @throws NotFoundError when nothing has this id
 */
export async function explainRewards(
  { id, merchant }: RewardReference,
  deps: ExplainRewardsDeps,
): Promise<ExplainedTransaction | ExplainedSource | NamedPurchase | ExplainedLink> {
  if (merchant !== undefined) return explainPurchase((await loadPurchase({ id, merchant }, deps)).purchase, deps);
  const key = await findByToken(id, deps);
  const purchase = key && (await findPurchase(key, deps));
  if (purchase) return explainPurchase(purchase, deps);
  const transaction = await findTransaction(id, deps);
  if (transaction) return explainTransaction(transaction, deps);
  const source = await findSource(id, deps);
  if (source?.kind === 'event') return explainSource(source, undefined, deps);
  const ordered = source && (await findPurchase(purchaseKeyOf(source.order), deps));
  if (ordered) return explainPurchase(ordered, deps);
  const link = await explainLink(id, deps);
  if (link) return link;
  throw new NotFoundError({ kind: 'reward transaction, order, payment or trigger event', id });
}

async function explainLink(text: string, deps: ExplainRewardsDeps): Promise<ExplainedLink | undefined> {
  const membershipId = parseIntegerId(text);
  const found = membershipId === undefined ? undefined : await deps.links.findDecisions(membershipId);
  if (membershipId === undefined || !found) return undefined;
  const member = await deps.members.find(found.userId);
  const partnerId = member?.memberships.find(({ id }) => id === membershipId)?.partnerId;
  const tierNameOf = await loadTierNames(partnerId === undefined ? [] : [partnerId], deps);
  return {
    ...{ membershipId, ...found },
    tierNameOf: (tier) => (partnerId === undefined ? undefined : tierNameOf(partnerId, tier)),
  };
}

async function explainTransaction(
  transaction: RewardTransaction,
  deps: ExplainRewardsDeps,
): Promise<ExplainedTransaction> {
  const { merchantId, partnerId, partnershipUuid, campaignId, snapshotId, reverses } = transaction;
  const decision = await deps.transactions.findSnapshot(snapshotId);
  if (!decision) {
    throw new NotFoundError(
      { kind: 'decision', id: snapshotId },
      { within: { kind: 'transaction', id: transaction.id } },
    );
  }

  const [nameOf, tierNameOf, partnership, original, reversals, payment, settlement] = await Promise.all([
    loadOrganisationNames([merchantId, partnerId], deps),
    loadTierNames([partnerId], deps),
    deps.campaigns.partnership(partnershipUuid),
    reverses && deps.transactions.find(reverses.id),
    findReversals(transaction, deps),
    findPayment(transaction, deps),
    deps.ledger.findSettlement(transaction),
  ]);
  if (reverses && !original) throw new NotFoundError({ kind: 'transaction', id: reverses.id });
  const [byOperator, paying] = await Promise.all([
    findOperatorReversal(original ?? transaction, [transaction, ...reversals], deps),
    reverses && findTransaction(reverses.refundUuid, deps),
  ]);
  const campaign = partnership?.campaigns.find((one) => one.campaign.id === campaignId)?.campaign;
  return {
    ...{ transaction, decision, original, reversals, byOperator, campaign, tierNameOf },
    isPaidWithPoints: paying?.type === 'REDEEM' && transaction.type === 'EARN',
    payment: payment && { payment, position: paymentPosition(payment.book) },
    settledPoints: settlement?.points ?? 0,
    merchantName: nameOf(merchantId),
    partnerName: nameOf(partnerId),
  };
}

async function findReversals(
  { id, userId, partnerId, refunds }: RewardTransaction,
  { ledger, transactions }: ExplainRewardsDeps,
): Promise<RewardTransaction[]> {
  if (!refunds) return [];
  const entries = await ledger.entriesOf(userId, partnerId);
  const ids = new Set(entries.filter(({ kind }) => reversing.has(kind)).map(({ transactionId }) => transactionId));
  const found = await Promise.all([...ids].map((one) => transactions.find(one)));
  return found
    .flatMap((one) => (one?.reverses?.id === id ? [one] : []))
    .toSorted((one, other) => (one.uuid < other.uuid ? -1 : 1));
}

/** Finds the reversal that an operator made, pending or confirmed. `known` are reversals that were read already. */
async function findOperatorReversal(
  { refunds }: RewardTransaction,
  known: readonly RewardTransaction[],
  { transactions }: ExplainRewardsDeps,
): Promise<RewardTransaction | undefined> {
  if (!refunds?.isVoid) return undefined;
  const { voidedBy } = refunds;
  // Leaves out a rejected reversal: the operator may have tried once before.
  if (voidedBy === undefined) {
    return known.find(({ reversalReason, state }) => reversalReason !== undefined && state !== 'FAILED');
  }
  return known.find(({ id }) => id === voidedBy) ?? transactions.find(voidedBy);
}

const reversing: ReadonlySet<LedgerEntry['kind']> = new Set([
  'EARN_REVERSAL',
  'REDEEM_REVERSAL',
  'EARN_RESTORATION',
  'REDEEM_RESTORATION',
] as const);

/**
 * Finds the payment of a transaction. A reversal names its payment; the claim of an award names the payment of the
 * award.
 */
async function findPayment(
  { reverses, merchantId, campaignId, externalTransactionId }: RewardTransaction,
  { claims, payments }: ExplainRewardsDeps,
): Promise<Payment | undefined> {
  if (reverses) return payments.find(reverses.refundUuid);
  if (externalTransactionId === null) return undefined;
  const claim = await claims.find({ merchantId, campaignId, externalTransactionId });
  return claim?.orderUuid === undefined ? undefined : payments.find(claim.orderUuid);
}

async function explainSource(
  source: AwardSource,
  purchase: Purchase | undefined,
  deps: ExplainRewardsDeps,
): Promise<ExplainedSource> {
  const { transactionIds, merchantId } = receivedIn(source);
  const [found, nameOf] = await Promise.all([
    purchase?.transactions ?? Promise.all(transactionIds.map((id) => deps.transactions.find(id))),
    loadOrganisationNames([merchantId], deps),
  ]);
  const transactions = found.filter((one) => one !== undefined);
  const { paidCents, countedCents } = purchase ?? { paidCents: 0, countedCents: 0 };
  const simulations = await simulateOthers(source, { transactions, paidCents, countedCents }, deps);
  const place = source.kind === 'event' ? source.event : { merchantId };
  const [tierNameOf, timeZone] = await Promise.all([
    loadTierNames(
      simulations.map(({ campaign }) => campaign.partnerId),
      deps,
    ),
    loadTimeZone([place], deps),
  ]);
  const shown = { merchantName: nameOf(merchantId), tierNameOf, timeZone };
  return { source, transactions, simulations, purchase, ...shown };
}

const purchaseKeyOf = ({ merchantId, externalOrderId }: Order) => ({
  merchantId,
  externalTransactionId: externalOrderId,
});

/** Explains a purchase, together with its order if the merchant registered one. */
async function explainPurchase(purchase: Purchase, deps: ExplainRewardsDeps): Promise<ExplainedSource | NamedPurchase> {
  if (purchase.order) return explainSource({ kind: 'order', order: purchase.order }, purchase, deps);
  const { merchantId } = purchase;
  const [nameOf, timeZone] = await Promise.all([
    loadOrganisationNames([merchantId], deps),
    loadTimeZone([{ merchantId }], deps),
  ]);
  return { purchase, merchantName: nameOf(merchantId), timeZone };
}

/** The fields that orders and trigger events share. */
export const receivedIn = (source: AwardSource) => (source.kind === 'order' ? source.order : source.event);

/** Finds a reward transaction by its id or UUID. */
export async function findTransaction(
  text: string,
  { transactions }: Pick<ExplainRewardsDeps, 'transactions'>,
): Promise<RewardTransaction | undefined> {
  const id = parseIntegerId(text) ?? integerIdOf(text.toLowerCase());
  const found = id === undefined ? undefined : await transactions.find(id);
  // A different UUID may have the same integer id: accept only the UUID of the transaction itself.
  return found && (text === String(found.id) || text.toLowerCase() === found.uuid) ? found : undefined;
}

async function findSource(text: string, deps: ExplainRewardsDeps): Promise<AwardSource | undefined> {
  const uuid = text.toLowerCase();
  const id = parseIntegerId(text) ?? integerIdOf(uuid);
  if (id === undefined) return undefined;
  const event = await deps.triggerEvents.find(id);
  if (event && (text === String(event.id) || uuid === event.uuid)) return { kind: 'event', event };
  const order = await deps.orders.find(uuid);
  return order && { kind: 'order', order };
}

/** Finds the purchase of a transaction token, or of the `authentication_id` of a refused request. */
async function findByToken(
  text: string,
  { claims, refusedAttempts }: ExplainRewardsDeps,
): Promise<Pick<Purchase, 'merchantId' | 'externalTransactionId'> | undefined> {
  const claim = await claims.findByToken(text);
  return claim?.authenticationId === text ? claim : refusedAttempts.findByToken(text);
}

/**
 * Evaluates every earn campaign that rewarded nothing, with the time of the order or event and the present state of the
 * member. Leaves out campaigns that do not reward this kind of event. Points that paid the whole purchase explain all.
 */
async function simulateOthers(
  source: AwardSource,
  { transactions, ...known }: Pick<Purchase, 'transactions' | 'paidCents' | 'countedCents'>,
  deps: ExplainRewardsDeps,
): Promise<Simulation[]> {
  const { userId, merchantId } = receivedIn(source);
  const { event } = requestOf(source, known);
  if (userId === null || event.isPaidWithPoints) return [];
  const earner = await loadEarner({ userId, merchantId, ...scopeOf(source) }, event.at, deps);
  const { member, partnerships } = earner;
  const trial = { member, partnerships, event, isRequest: false, organisationId: merchantId };
  const rewarding = new Set(transactions.map(({ campaignId }) => campaignId));
  return runningCampaigns({ ...earner, now: event.at })
    .filter(({ campaign }) => campaign.type === 'EARN' && !rewarding.has(campaign.id))
    .map(({ campaign, partnership }) => simulate(campaign, partnership, trial))
    .filter(({ decision }) => decision === null || !hasOtherTrigger(decision));
}

const requestOf = (source: AwardSource, known: Pick<Purchase, 'paidCents' | 'countedCents'>) =>
  source.kind === 'order'
    ? awardRequestForOrder(source.order, { ...known, partnerId: undefined })
    : awardRequestForTrigger(source.event);

/** A trigger event is rewarded only by campaigns of its own partnership. */
function scopeOf(source: AwardSource) {
  if (source.kind === 'order') return {};
  const { partnershipUuid } = source.event;
  return { under: ({ uuid }: { readonly uuid: string }) => uuid === partnershipUuid };
}

const hasOtherTrigger = ({ flows }: Decision) =>
  flows.length > 0 && flows.every(({ result }) => result === 'OTHER_TRIGGER');
