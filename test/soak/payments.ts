import type { Random } from './random.ts';
import type { Scene, SceneMerchant } from './scene.ts';
import {
  type DisputeStage,
  disputeStages,
  type RefundStage,
  type Return,
  refundStages,
  type Sale,
  type Story,
} from './story.ts';

/**
 * The reports of payment platforms: sales, refunds and disputes, through Stripe's event source and the canonical one.
 * Each fact is reported at least once, by one or several events, in any order. The model sums up the facts.
 */

/** The amounts of a payment, computed by the simple model. */
export interface SalePosition {
  readonly capturedCents: number;
  readonly eligibleCents: number;
  /** What refunds and disputes returned; at most the captured amount. */
  readonly returnedCents: number;
}

const sumOf = (entries: readonly { readonly cents: number }[]) => entries.reduce((sum, { cents }) => sum + cents, 0);

const latest = <Stage>({ stages }: Return<Stage>, order: readonly Stage[]): Stage | undefined =>
  order.findLast((stage) => stages.includes(stage));

/** Sums up what was reported about a payment. */
export function positionOf({ captures, refundedTotal, refunds, disputes }: Sale): SalePosition {
  const capturedCents = sumOf(captures);
  const eligibleCents = captures.reduce((sum, { eligible }) => sum + eligible, 0);
  const inStage = (stage: RefundStage) => sumOf(refunds.filter((one) => latest(one, refundStages) === stage));
  // A running total may contain refunds that failed.
  const refunded = Math.max(inStage('completed'), refundedTotal - inStage('failed'));
  const taken = disputes.filter((one) => ['funds_withdrawn', 'lost'].includes(latest(one, disputeStages) ?? ''));
  return { capturedCents, eligibleCents, returnedCents: Math.min(capturedCents, refunded + sumOf(taken)) };
}

export interface TillContext {
  readonly scene: Scene;
  readonly story: Story;
  readonly random: Random;
  /** Delivers an event to the rules of the bus. */
  readonly tell: (envelope: object) => void;
}

/** Sells something: to a member, to a customer who may link an account later, or to a guest. */
export function sell(context: TillContext): string | undefined {
  const { scene, story, random } = context;
  const merchant = random.pick(scene.merchants);
  if (!merchant) return undefined;
  if (random.chance(0.12)) return sellInParts(context, merchant);
  const externalId = random.chance(0.75) ? random.pick(customersOf(context)) : undefined;
  const sale: Sale = {
    id: story.newName('pay'),
    platform: random.chance(0.5) ? 'stripe' : 'canonical',
    merchant,
    externalId,
    customerId: random.chance(0.5) ? `cus_${externalId ?? random.pick(customersOf(context))}` : undefined,
    orderId: random.chance(0.18) ? random.pick(purchasesOf(context, merchant, externalId)) : undefined,
    ...{ captures: [], refundedTotal: 0, refunds: [], disputes: [] },
  };
  story.sales.push(sale);
  // A refund may overtake its payment.
  if (random.chance(0.1)) beginRefund(context, sale, random.between(1, 500));
  capture(context, sale);
  const order = sale.orderId === undefined ? '' : ` for ${sale.orderId}`;
  return `sells ${sale.id}${order} of ${merchant.id} to ${externalId ?? sale.customerId ?? 'a guest'}`;
}

/** Sells something to a member that two payments pay: 60 and 40 percent. They name the order at once, or later. */
function sellInParts(context: TillContext, merchant: SceneMerchant): string | undefined {
  const { scene, story, random } = context;
  const member = random.pick(scene.members);
  if (!member) return undefined;
  const { externalId } = member;
  const basket = { merchantId: merchant.id, member, externalId: story.newName('b'), cents: random.between(2, 6_000) };
  story.baskets.push(basket);
  const first = Math.floor(basket.cents * 0.6);
  const platform = random.chance(0.5) ? 'stripe' : 'canonical';
  for (const cents of [first, basket.cents - first]) {
    const sale: Sale = {
      ...{ id: story.newName('pay'), merchant, externalId, customerId: undefined },
      platform: random.chance(0.85) ? platform : 'canonical',
      orderId: random.chance(0.7) ? basket.externalId : undefined,
      ...{ captures: [], refundedTotal: 0, refunds: [], disputes: [] },
    };
    story.sales.push(sale);
    if (cents > 0) capture(context, sale, cents);
  }
  return `sells ${basket.externalId} of ${merchant.id} to ${externalId} for ${basket.cents} cents in two parts`;
}

/** The members, and the persons who have begun to link an account. */
const customersOf = ({ scene, story }: TillContext) => [
  ...scene.members.map(({ externalId }) => externalId),
  ...story.connects.map(({ externalId }) => externalId),
];

/** The purchases and orders of a customer. A payment may report the same sale again. */
const purchasesOf = ({ scene, story }: TillContext, merchant: SceneMerchant, customer: string | undefined) =>
  [
    ...[...story.orders, ...story.baskets].filter(
      ({ merchantId, member }) => merchantId === merchant.id && member.externalId === customer,
    ),
    ...story.tokens
      .map(({ purchase }) => purchase)
      .filter(({ campaign, member }) => campaign.merchantId === merchant.id && member.externalId === customer)
      .filter(
        ({ campaign: { kind, partnerId } }) => kind === 'earn' || (kind === 'pay' && partnerId !== scene.ownProgramOf),
      ),
  ].map(({ externalId }) => externalId);

function capture(context: TillContext, sale: Sale, cents = context.random.between(1, 6_000)): void {
  const { random, story } = context;
  const eligible = sale.platform === 'stripe' ? cents : Math.ceil(cents * (random.chance(0.5) ? 1 : random.next()));
  const made = { id: story.newName('ch'), cents, eligible, at: Date.now() };
  sale.captures.push(made);
  if (sale.platform === 'canonical') {
    tellCanonical(context, sale, 'payment.completed', {
      ...{ amount: cents, eligible_amount: eligible, capture_id: made.id, currency: 'USD' },
    });
    // A capture without an id is the total until now.
    if (random.chance(0.15)) tellTotal(context, sale);
    return;
  }
  // Two events with different ids report the same money.
  const object = { amount: cents, currency: 'usd', ...referencesAtStripe(sale) };
  const reports = [
    () => {
      const intent = { ...object, id: sale.id, amount_received: cents, latest_charge: made.id };
      tellStripe(context, sale, 'payment_intent.succeeded', intent);
    },
    () => tellStripe(context, sale, 'charge.succeeded', chargeOf(sale, made)),
  ];
  if (random.chance(0.5)) reports.reverse();
  for (const report of reports) report();
}

const referencesAtStripe = ({ externalId, customerId, orderId }: Sale) => ({
  customer: customerId ?? null,
  metadata: { ...(externalId && { merchant_external_id: externalId }), ...(orderId && { order_id: orderId }) },
});

/**
 * Reports the next fact about a payment: a further capture, refund or dispute, or the next stage of an earlier refund
 * or dispute.
 */
export function continueSale(context: TillContext): string | undefined {
  const { story, random } = context;
  const sale = random.pick(story.sales.slice(-12));
  if (!sale) return undefined;
  const left = sumOf(sale.captures) - sumOf([...sale.refunds, ...sale.disputes]);
  const names = purchasesOf(context, sale.merchant, sale.externalId).slice(-6);
  const step = random.weighted<() => void>([
    [left > 0 ? 4 : 0, () => beginRefund(context, sale, random.chance(0.4) ? left : random.between(1, left))],
    [left > 0 ? 4 : 0, () => beginDispute(context, sale, random.chance(0.6) ? left : random.between(1, left))],
    [sale.refunds.length > 0 ? 3 : 0, () => continueRefund(context, sale)],
    [sale.disputes.length > 0 ? 10 : 0, () => continueDispute(context, sale)],
    [sale.platform === 'canonical' ? 2.5 : 0, () => capture(context, sale)],
    [sale.platform === 'canonical' && !sale.statedOrder ? 0.7 : 0, () => stateOrder(context, sale)],
    [sale.platform === 'canonical' && left > 0 ? 1 : 0, () => tellRefunded(context, sale)],
    [sale.orderId === undefined && names.length > 0 ? 3 : 0, () => nameOrder(context, sale, random.pick(names))],
  ]);
  step?.();
  return (
    step &&
    `${sale.id} has ${JSON.stringify([sale.orderId, sale.statedOrder, sale.refundedTotal, sale.captures, sale.refunds, sale.disputes])}`
  );
}

function tellTotal(context: TillContext, sale: Sale): void {
  const { capturedCents: amount, eligibleCents } = positionOf(sale);
  tellCanonical(context, sale, 'payment.completed', { amount, eligible_amount: eligibleCents, currency: 'USD' });
}

/** The platform states the order: the captured money and sometimes more, with tax or a tip that earns nothing. */
function stateOrder(context: TillContext, sale: Sale): void {
  const { random } = context;
  const { capturedCents } = positionOf(sale);
  const totalCents = Math.max(1, capturedCents + (random.chance(0.3) ? random.between(1, 2_000) : 0));
  const eligibleCents = random.chance(0.3) ? totalCents : random.between(1, totalCents);
  sale.statedOrder = { totalCents, eligibleCents, at: Date.now() };
  const amounts = { total_amount: totalCents, subtotal_amount: eligibleCents, tax_amount: totalCents - eligibleCents };
  tellCanonical(context, sale, 'order.completed', { ...amounts, currency: 'USD' });
}

/** The platform reports the sum of all refunds, without the single ones. */
function tellRefunded(context: TillContext, sale: Sale): void {
  const { random } = context;
  const least = sumOf(sale.refunds);
  const total = Math.min(sumOf(sale.captures), least + random.between(0, 500));
  sale.refundedTotal = Math.max(sale.refundedTotal, total);
  tellCanonical(context, sale, 'refund.completed', { refunded_total: total, currency: 'USD' });
}

/** A payment names its order late: after it may have earned on its own. */
function nameOrder(context: TillContext, sale: Sale, orderId: string | undefined): void {
  sale.orderId = orderId;
  const [charge] = sale.captures;
  if (sale.platform === 'canonical') tellCanonical(context, sale, 'payment.updated', {});
  else if (charge) tellStripe(context, sale, 'charge.updated', chargeOf(sale, charge));
}

/** A charge as Stripe describes it. */
function chargeOf(sale: Sale, { id, cents }: Sale['captures'][number]) {
  const captured = { captured: true, amount_captured: cents, status: 'succeeded', payment_intent: sale.id };
  return { id, amount: cents, currency: 'usd', ...captured, ...referencesAtStripe(sale) };
}

function beginRefund(context: TillContext, sale: Sale, cents: number): void {
  const refund: Return<RefundStage> = { id: context.story.newName('re'), cents, stages: [] };
  sale.refunds.push(refund);
  tellRefund(context, sale, refund, context.random.chance(0.3) ? 'pending' : 'completed');
}

function continueRefund(context: TillContext, sale: Sale): void {
  const refund = context.random.pick(sale.refunds);
  const stage = refund && refundStages[refundStages.indexOf(latest(refund, refundStages) ?? 'failed') + 1];
  if (refund && stage) tellRefund(context, sale, refund, stage);
}

function beginDispute(context: TillContext, sale: Sale, cents: number): void {
  const dispute: Return<DisputeStage> = { id: context.story.newName('dp'), cents, stages: [] };
  sale.disputes.push(dispute);
  tellDispute(context, sale, dispute, context.random.chance(0.2) ? 'opened' : 'funds_withdrawn');
}

function continueDispute(context: TillContext, sale: Sale): void {
  const dispute = context.random.pick(sale.disputes);
  const after = dispute ? disputeStages.indexOf(latest(dispute, disputeStages) ?? 'lost') + 1 : disputeStages.length;
  const stage = context.random.pick(disputeStages.slice(after));
  if (dispute && stage) tellDispute(context, sale, dispute, stage);
}

function tellRefund(context: TillContext, sale: Sale, refund: Return<RefundStage>, stage: RefundStage): void {
  refund.stages.push(stage);
  const { id, cents: amount } = refund;
  if (sale.platform === 'canonical') {
    tellCanonical(context, sale, `refund.${stage}`, { refund_id: id, amount, currency: 'USD' });
    return;
  }
  const status = { pending: 'pending', completed: 'succeeded', failed: 'failed' }[stage];
  const type = { pending: 'refund.created', completed: 'refund.updated', failed: 'refund.failed' }[stage];
  tellStripe(context, sale, type, { id, amount, currency: 'usd', ...paymentNames(context, sale), status });
}

function tellDispute(context: TillContext, sale: Sale, dispute: Return<DisputeStage>, stage: DisputeStage): void {
  dispute.stages.push(stage);
  const { id, cents: amount } = dispute;
  if (sale.platform === 'canonical') {
    tellCanonical(context, sale, `dispute.${stage}`, { dispute_id: id, amount, currency: 'USD' });
    return;
  }
  const [type, status] = stripeDisputes[stage];
  tellStripe(context, sale, type, { id, amount, currency: 'usd', ...paymentNames(context, sale), status });
}

const stripeDisputes = {
  opened: ['charge.dispute.created', 'needs_response'],
  funds_withdrawn: ['charge.dispute.funds_withdrawn', 'needs_response'],
  reinstated: ['charge.dispute.funds_reinstated', 'under_review'],
  won: ['charge.dispute.closed', 'won'],
  lost: ['charge.dispute.closed', 'lost'],
} as const satisfies Record<DisputeStage, readonly [type: string, status: string]>;

/** The ids by which an event names a payment. Some events contain only the id of the charge. */
function paymentNames({ random }: TillContext, { id, captures }: Sale) {
  const charge = captures[0]?.id ?? null;
  return { charge, payment_intent: charge === null || random.chance(0.7) ? id : null };
}

function tellCanonical(context: TillContext, sale: Sale, kind: string, detail: object): void {
  const { id, merchant, externalId, customerId, orderId } = sale;
  const customer = { ...(externalId && { external_id: externalId }), ...(customerId && { id: customerId }) };
  tellAtLeastOnce(context, 'rewards.payments', kind, (eventId, at) => ({
    ...{ merchant_id: merchant.id, event_id: eventId, occurred_at: at.toISOString(), payment_id: id },
    ...(kind.startsWith('payment.') && { customer, ...(orderId && { order_id: orderId }) }),
    ...detail,
  }));
}

function tellStripe(context: TillContext, { merchant }: Sale, type: string, object: object): void {
  const source = `aws.partner/stripe.com/${merchant.stripeAccount}`;
  tellAtLeastOnce(context, source, type, (id, at) => ({
    ...{ id, type, created: Math.floor(at.getTime() / 1_000), livemode: false, data: { object } },
  }));
}

/**
 * Sends the event of a change, and sometimes a second event about the same change, as a platform may. In addition, the
 * bus delivers some events twice.
 */
function tellAtLeastOnce(
  { story, random, tell }: TillContext,
  source: string,
  kind: string,
  detailOf: (eventId: string, at: Date) => object,
): void {
  const at = new Date();
  const events = random.chance(0.15) ? 2 : 1;
  for (let event = 0; event < events; event += 1) {
    const id = story.newName('evt');
    tell({ id: `envelope-${id}`, source, 'detail-type': kind, time: at.toISOString(), detail: detailOf(id, at) });
  }
}
