import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { type Partition, partitions } from '../../shared/contracts/table.ts';
import { type AwardClaim, isEarning } from '../../shared/domain/award/claim.ts';
import { isUncounted } from '../../shared/domain/ledger/ledger-entry.ts';
import { coveredPoints, kindOf } from '../../shared/domain/ledger/movement-table.ts';
import type { RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import type { Membership } from '../../shared/domain/member/member.ts';
import { Order } from '../../shared/domain/order/order.ts';
import { Refund } from '../../shared/domain/order/refund.ts';
import { paysWithPoints } from '../../shared/domain/order/spend.ts';
import { Payment } from '../../shared/domain/payment/payment.ts';
import { mismatchText } from '../../shared/domain/reconciliation/invariants.ts';
import { reconcileBooks } from '../../shared/operations/reconcile-books.ts';
import { reconcileTotals, totalsMismatches } from '../../shared/operations/reconcile-totals.ts';
import type { Platform } from '../../shared/runtime/platform.ts';
import { settlementUuidOf } from '../../shared/store/ledger/ledger.ts';
import type { Item } from '../../shared/store/table/table-client.ts';
import { type Reading, readAll, scan } from '../../tools/admin/reconcile/read-books.ts';
import type { ProgramBooks } from '../support/program-server.ts';
import { faultsOf, readBooks } from '../support/reconcile.ts';
import { positionOf, type SalePosition } from './payments.ts';
import type { ModelCampaign, Scene } from './scene.ts';
import type { PlacedOrder, Sale, Story } from './story.ts';

/**
 * What must hold once nothing is left to do. Most checks compute what must have happened from the story and from single
 * transactions, by their own simple rules, and share no rule with the platform.
 */

export interface EndParts {
  readonly scene: Scene;
  readonly story: Story;
  readonly platform: Platform;
  readonly table: { readonly name: string; readonly documents: DynamoDBDocumentClient };
  /** The books of the partner's own program. */
  readonly programBooks: ProgramBooks;
  /** The ids of the transactions that were ever in ERROR. */
  readonly everSuspended: ReadonlySet<string>;
}

/** The table at the end, in the parts that checks compare. */
interface End extends EndParts {
  readonly reading: Reading;
  readonly transactions: readonly RewardTransaction[];
  readonly claims: readonly AwardClaim[];
  readonly memberships: readonly Membership[];
  readonly orders: readonly Order[];
  readonly refunds: readonly Refund[];
  readonly payments: readonly Payment[];
  readonly triggerEvents: readonly TriggerEventItem[];
  readonly spend: readonly SpendItem[];
}

/** A check, by the name of what holds. */
interface Check {
  readonly name: string;
  readonly find: (end: End) => Promise<string[]> | string[];
}

const TriggerEventItem = z.object({
  uuid: z.string(),
  state: z.string(),
  receivedAt: z.string(),
  contextJson: z.string(),
});
type TriggerEventItem = z.infer<typeof TriggerEventItem>;

const SpendItem = z.object({
  userId: z.int(),
  merchantId: z.int(),
  partnerId: z.int(),
  spentCents: z.int(),
});
type SpendItem = z.infer<typeof SpendItem>;

/** The result of all checks. */
export interface Checked {
  readonly found: readonly string[];
  /** How many transactions, payments and other things of each kind and state there are: what a history has reached. */
  readonly reached: ReadonlyMap<string, number>;
}

/** Runs every check. */
export async function checkEnd(parts: EndParts): Promise<Checked> {
  const end = await readEnd(parts);
  const found: string[] = [];
  for (const { name, find } of checks) {
    found.push(...(await find(end)).map((what) => `${name}: ${what}`));
  }
  return { found, reached: reachedBy(end) };
}

function reachedBy(end: End): Map<string, number> {
  const names = [
    ...end.transactions.map((one) => `${kindOf(one).toLowerCase().replace('_', ' ')} ${one.state}`),
    ...end.orders.map(({ state }) => `order ${state}`),
    ...end.refunds.map(({ state }) => `refund ${state}`),
    ...end.triggerEvents.map(({ state }) => `trigger event ${state}`),
    ...end.payments.map(({ awards, reason }) => `payment ${awards.length > 0 ? 'awarded' : reason}`),
    ...end.reading.books.entries
      .filter(({ kind }) => isUncounted(kind) && kind !== 'OPENING')
      .map(({ kind }) => kind.toLowerCase()),
    ...Object.values(end.programBooks.transactions).map(({ status }) => `at the program ${status}`),
  ];
  return new Map([...Map.groupBy(names, (name) => name)].map(([name, own]) => [name, own.length]));
}

async function readEnd(parts: EndParts): Promise<End> {
  const { platform, table } = parts;
  const reading = await readAll(platform, table);
  const items: Item[] = [];
  const wanted: readonly Partition[] = ['order', 'payment', 'triggerEvent', 'user'];
  for await (const item of scan(table, wanted)) items.push(item);
  const parsed = <Schema extends z.ZodMiniType>(partition: Partition, sort: string, schema: Schema) =>
    items
      .filter(({ pk, sk }) => pk.startsWith(partitions[partition]) && sk.startsWith(sort))
      // Another id of a payment.
      .filter((item) => !('refersTo' in item))
      .map((item): z.infer<Schema> => schema.parse(item));
  return {
    ...parts,
    reading,
    transactions: reading.books.transactions,
    claims: reading.books.claims,
    memberships: reading.books.memberships,
    orders: parsed('order', 'ORDER#', Order),
    refunds: parsed('order', 'REFUND#', Refund),
    payments: parsed('payment', 'PAYMENT', Payment),
    triggerEvents: parsed('triggerEvent', 'TRIGGER_EVENT', TriggerEventItem),
    spend: parsed('user', 'SPEND#', SpendItem),
  };
}

const sum = <Value>(values: readonly Value[], amount: (value: Value) => number): number =>
  values.reduce((total, value) => total + amount(value), 0);

const isAward = ({ reverses }: RewardTransaction) => reverses === undefined;
const isDone = ({ state }: RewardTransaction) => state === 'COMPLETED' || state === 'REVERSED';

/** Whether something of an award stands. What a restoration gives back of a reversed one stands again. */
const isStanding = (end: End, award: RewardTransaction) => {
  const { points, cashbackCents } = leftOf(end, award);
  return (
    ['INITIATED', 'PENDING', 'ERROR', 'COMPLETED'].includes(award.state) ||
    (isDone(award) && points + cashbackCents > 0)
  );
};
const nameOf = ({ id, type, state, points, cashbackCents }: RewardTransaction) =>
  `transaction ${id} (${type} ${points} points ${cashbackCents} cents, ${state})`;

const campaignOf = ({ scene }: End, { campaignId }: { readonly campaignId: number }): ModelCampaign => {
  const found = scene.campaigns.find(({ id }) => id === campaignId);
  if (!found) throw new Error(`there is no campaign ${campaignId}`);
  return found;
};

const reversalsOf = (
  { transactions }: End,
  { id }: RewardTransaction,
  states = ['PENDING', 'ERROR', 'COMPLETED', 'REVERSED'],
) => transactions.filter(({ reverses, state }) => reverses?.id === id && states.includes(state));

/** An award and a restoration give, a reversal takes. */
const signOf = ({ reverses, isRestoration }: RewardTransaction) => (reverses && !isRestoration ? -1 : 1);

/** The points and cents of an award that no refund has reversed. */
const leftOf = (end: End, award: RewardTransaction) => ({
  points: award.points + sum(reversalsOf(end, award), (one) => signOf(one) * one.points),
  cashbackCents: award.cashbackCents + sum(reversalsOf(end, award), (one) => signOf(one) * one.cashbackCents),
});

/** The operation behind `admin reconcile` finds nothing. */
const reconciliation: Check = {
  name: 'the books agree',
  find: async ({ reading, platform, table }) => {
    const readAgain = async () => (await readAll(platform, table)).books;
    const { mismatches, moving } = await reconcileBooks({ first: reading.books, readAgain, now: platform.now });
    const totals = totalsMismatches(reconcileTotals(reading));
    return [...[...mismatches, ...totals].map(mismatchText), ...moving.map((subject) => `${subject} moves`)];
  },
};

const events: Check = {
  name: 'every change was announced once',
  find: async ({ table, everSuspended }) => {
    const faults = faultsOf(await readBooks(table));
    // Two more events announce each time that a transaction is in ERROR.
    return faults.filter((fault) => ![...everSuspended].some((id) => fault.startsWith(`transaction ${id} `)));
  },
};

/** The rules of both programs, as the scene sets them. */
const velocity: Check = {
  name: 'no velocity rule is exceeded without a review',
  find: ({ transactions, scene }) => {
    const posted = transactions.filter(
      ({ type, reverses, otherLegId, review, state }) =>
        type === 'EARN' && !reverses && otherLegId === undefined && !review && isPosted(state),
    );
    const byHour = Map.groupBy(posted, (one) => `${one.userId} ${one.partnerId} ${one.createdAt.slice(0, 13)}`);
    return [...byHour]
      .filter(([, own]) => own.length > scene.rewardsPerHour)
      .map(([name, own]) => `${name}: ${own.map(nameOf).join(', ')}`);
  },
};

const isPosted = (state: string) => ['COMPLETED', 'FAILED', 'ERROR', 'REVERSED'].includes(state);

const nothingPending: Check = {
  name: 'nothing is pending',
  find: ({ transactions, claims, orders, refunds, triggerEvents, memberships, story }) => [
    ...transactions.filter(({ state }) => ['INITIATED', 'PENDING', 'HELD', 'ERROR'].includes(state)).map(nameOf),
    ...claims
      .filter(({ state }) => state === 'ISSUED')
      .map(({ externalTransactionId, expiresAt }) => `the token for ${externalTransactionId} until ${expiresAt}`),
    ...orders.filter(({ state }) => state === 'PENDING').map(({ externalOrderId }) => `order ${externalOrderId}`),
    ...refunds.filter(({ state }) => state === 'PENDING').map(({ externalRefundId }) => `refund ${externalRefundId}`),
    ...triggerEvents.filter(({ state }) => state === 'RECEIVED').map(({ uuid }) => `trigger event ${uuid}`),
    ...memberships
      .filter(({ heldPoints }) => heldPoints !== 0)
      .map(({ userId, partnerId, heldPoints }) => `${heldPoints} held points of ${userId} in ${partnerId}`),
    ...story.connects.filter(({ isDone: isOver }) => !isOver).map(({ memberId }) => `the link of ${memberId}`),
  ],
};

/** The event that a transaction rewards, and the action. No two transactions may have both. */
function awardKey({ merchantId, campaignId, actionId, type, ...more }: RewardTransaction): string | undefined {
  const { externalTransactionId, triggerEvent, isRegistration, userId } = more;
  const event =
    externalTransactionId ?? triggerEvent?.uuid ?? (isRegistration ? `the registration of ${userId}` : undefined);
  return event && [merchantId, campaignId, event, actionId, type].join(' ');
}

/** Tokens, orders and payments of one external transaction earn in the same program. */
const oneProgram: Check = {
  name: 'a purchase earns in one program',
  find: ({ claims }) => {
    const earning = claims.filter((claim) => claim.state === 'SPENT' && isEarning(claim));
    const byPurchase = Map.groupBy(earning, (claim) => `${claim.merchantId} ${claim.externalTransactionId}`);
    return [...byPurchase]
      .filter(([, own]) => new Set(own.map(({ partnerId }) => partnerId)).size > 1)
      .map(([purchase]) => `purchase ${purchase} earned in several programs`);
  },
};

const uniqueAwards: Check = {
  name: 'no event is awarded twice',
  find: ({ transactions, claims }) => {
    const given = transactions.filter((one) => isAward(one) && one.state !== 'CANCELLED');
    const doubled = [...Map.groupBy(given, awardKey)].filter(([key, own]) => key !== undefined && own.length > 1);
    const claimed = Map.groupBy(claims, ({ merchantId, campaignId, externalTransactionId, kind }) =>
      [merchantId, campaignId, externalTransactionId, kind].join(' '),
    );
    return [
      ...doubled.map(([key, own]) => `${key}: ${own.map(nameOf).join(', ')}`),
      ...[...claimed].filter(([, own]) => own.length > 1).map(([key]) => `two claims of ${key}`),
    ];
  },
};

/** The decision of one event under one campaign: its transactions, and the claim that names them. */
interface Decision {
  readonly campaign: ModelCampaign;
  readonly awards: readonly RewardTransaction[];
  readonly claim: AwardClaim | undefined;
  readonly order: Order | undefined;
  /** The payment that was awarded. */
  readonly payment: Payment | undefined;
  readonly at: string;
  /** The amount that it rewards. */
  readonly cents: number;
}

function decisionsOf(end: End): Decision[] {
  const awards = end.transactions.filter(isAward);
  return [...Map.groupBy(awards, ({ snapshotId }) => snapshotId).values()].flatMap((own) => {
    const [first] = own;
    if (!first) return [];
    const claim = end.claims.find(({ rewards }) => rewards.some(({ id }) => id === first.id));
    const order = end.orders.find(({ uuid }) => uuid === claim?.orderUuid);
    const event = end.triggerEvents.find(({ uuid }) => uuid === first.triggerEvent?.uuid);
    const payment = end.payments.find(({ uuid }) => uuid === claim?.orderUuid);
    const paid = payment?.awards.find(
      ({ externalTransactionId }) => externalTransactionId === claim?.externalTransactionId,
    );
    const at = order?.createdAt ?? payment?.countsAt ?? event?.receivedAt ?? first.createdAt;
    const cents = order ? eligibleOf(order) : (paid?.eligibleCents ?? first.amountCents);
    return [{ campaign: campaignOf(end, first), awards: own, claim, order, payment, at, cents }];
  });
}

const eligibleOf = ({ totalCents, subtotalCents, discountCents }: Order) =>
  Math.min(totalCents, subtotalCents - discountCents);

/** The reward of an amount by the model, for one of the transactions of a decision. */
function modelReward({ campaign }: Decision, award: RewardTransaction, cents: number) {
  const rewards = campaign.rewards(cents);
  if (campaign.kind === 'transfer') return rewards[award.type === 'REDEEM' ? 0 : 1];
  return rewards[award.actionId - 2];
}

const amounts: Check = {
  name: 'every award has the amount of the model',
  find: (end) =>
    decisionsOf(end).flatMap((decision) =>
      decision.awards.flatMap((award) => {
        const model = modelReward(decision, award, decision.cents);
        if (!model) return [`${nameOf(award)} belongs to no action`];
        const mayBeCapped = decision.campaign.kind === 'earn' && decision.campaign.limits.some(isOfPoints);
        const isRight = mayBeCapped ? award.points <= model.points && award.points > 0 : award.points === model.points;
        if (isRight && award.cashbackCents === model.cashbackCents) return [];
        return [`${nameOf(award)}: expected ${model.points} points ${model.cashbackCents} cents`];
      }),
    ),
};

const isOfPoints = ({ unit }: { readonly unit: string }) => unit === 'POINTS';

/** A transaction that a client was told of exists and was posted; the program may have rejected it. */
const acknowledged: Check = {
  name: 'every confirmed purchase is in the table',
  find: ({ story, transactions }) =>
    story.tokens.flatMap(({ purchase, transactionIds }) =>
      transactionIds.flatMap((id) => {
        const found = transactions.find((one) => one.id === id);
        const isThere = found && (isDone(found) || found.state === 'FAILED') && found.userId === purchase.member.id;
        return isThere ? [] : [`${purchase.externalId}: transaction ${id} is ${found ? nameOf(found) : 'absent'}`];
      }),
    ),
};

/** A campaign without a limit awards every order of a linked member, if it is of the program of the purchase. */
const orders: Check = {
  name: 'every order is awarded',
  find: (end) =>
    end.story.orders.flatMap((placed) => {
      const order = end.orders.find(({ uuid }) => uuid === placed.id);
      if (!order) return placed.id === undefined ? [] : [`order ${placed.externalId} is absent`];
      if (order.totalCents !== placed.totalCents) return [`order ${placed.externalId} has another total`];
      return unlimitedCampaigns(end, placed, order).flatMap((campaign) => {
        const awarded = end.claims.some(
          ({ campaignId, externalTransactionId, state }) =>
            campaignId === campaign.id && externalTransactionId === placed.externalId && state === 'SPENT',
        );
        return awarded ? [] : [`order ${placed.externalId} (${order.state}) is not awarded under ${campaign.name}`];
      });
    }),
};

/** The campaigns without a limit that have to award an order something. */
function unlimitedCampaigns(end: End, placed: PlacedOrder, order: Order): ModelCampaign[] {
  const { memberships } = end;
  if (order.rejection !== undefined && paidByPoints(end, order) >= eligibleOf(order)) return [];
  const purchase = { ...placed, userId: order.userId, externalIds: [placed.externalId], reason: order.rejection };
  return ofOneProgram(end, purchase).filter(
    ({ kind, merchantId, partnerId, limits, rewards }) =>
      kind === 'earn' &&
      merchantId === placed.merchantId &&
      limits.length === 0 &&
      rewards(eligibleOf(order)).some(({ points, cashbackCents }) => points + cashbackCents > 0) &&
      memberships.some(
        (one) => one.userId === order.userId && one.partnerId === partnerId && one.createdAt <= order.createdAt,
      ),
  );
}

/** The cents of an order that points paid. They earn nothing, also when a refund gave the points back. */
const paidByPoints = ({ claims, transactions }: End, { merchantId, externalOrderId }: Order): number => {
  const payments = claims
    .filter((claim) => claim.merchantId === merchantId && claim.externalTransactionId === externalOrderId)
    .filter((claim) => claim.state === 'SPENT' && paysWithPoints(claim))
    .filter(({ rewards }) => rewards.every(({ id }) => transactions.some((one) => one.id === id && isDone(one))));
  return sum(payments, ({ amountCents }) => amountCents);
};

/** A purchase by its names, with the reason why it earned nothing. */
interface EarningPurchase {
  readonly merchantId: number;
  readonly externalIds: readonly string[];
  readonly userId: number | undefined;
  readonly reason: string | undefined;
}

/** The campaigns that may award a purchase: those of the program that did, or none when the member chose no program. */
function ofOneProgram({ scene, claims, memberships }: End, purchase: EarningPurchase): readonly ModelCampaign[] {
  const { merchantId, externalIds, userId, reason } = purchase;
  const programs = memberships.filter((one) => one.userId === userId);
  // Also when a token of the same purchase, whose request named a program, earned afterwards.
  if (reason === 'no_default_program' && programs.length > 1) return [];
  const own = scene.campaigns.filter((campaign) => campaign.merchantId === merchantId);
  const earned = claims.find(
    (claim) =>
      claim.merchantId === merchantId &&
      claim.state === 'SPENT' &&
      externalIds.includes(claim.externalTransactionId) &&
      own.some(({ id, kind }) => id === claim.campaignId && kind === 'earn'),
  );
  return earned ? own.filter(({ partnerId }) => partnerId === earned.partnerId) : own;
}

const triggers: Check = {
  name: 'every trigger event is recorded and awarded once',
  find: (end) =>
    end.story.triggers.flatMap(({ name, sends, eventIds, campaign, member }) => {
      const recorded = end.triggerEvents.filter((event) => isNamed(event, name));
      const isLinked = end.memberships.some(
        ({ userId, partnerId, createdAt }) =>
          userId === member.id && partnerId === campaign.partnerId && createdAt <= (recorded[0]?.receivedAt ?? ''),
      );
      return [
        ...(recorded.length > sends ? [`${name} was recorded ${recorded.length} times after ${sends} requests`] : []),
        ...[...eventIds].filter((id) => !recorded.some(({ uuid }) => uuid === id)).map((id) => `${name} lacks ${id}`),
        ...recorded
          .filter(() => isLinked && campaign.limits.length === 0)
          .filter(({ uuid }) => !end.transactions.some(({ triggerEvent }) => triggerEvent?.uuid === uuid))
          .map(({ uuid }) => `${name}: ${uuid} is not awarded`),
      ];
    }),
};

/** Requests with one idempotency key are one request, whatever became of their answers. */
const keyed: Check = {
  name: 'an idempotency key makes one trigger event',
  find: ({ story, triggerEvents }) =>
    story.triggers.flatMap(({ name, hasKey, sends }) => {
      const own = triggerEvents.filter((event) => isNamed(event, name));
      return hasKey && own.length > 1 ? [`${name} was recorded ${own.length} times after ${sends} requests`] : [];
    }),
};

const isNamed = ({ contextJson }: TriggerEventItem, name: string) => Object(JSON.parse(contextJson)).name === name;

/** An account that was linked is a registration, and a new customer with a referrer a referral. */
const links: Check = {
  name: 'every link is rewarded once',
  find: ({ scene, story, memberships, transactions }) =>
    story.connects.flatMap(({ memberId, referrerExternalId }) => {
      const membership = memberships.find(({ externalId }) => externalId === memberId);
      if (!membership) return [];
      const count = (kind: ModelCampaign['kind'], userId: number) => {
        const ids = scene.campaigns.filter((one) => one.kind === kind).map(({ id }) => id);
        return transactions.filter((one) => ids.includes(one.campaignId) && one.userId === userId && isAward(one))
          .length;
      };
      const referrer = scene.members.find(({ externalId }) => externalId === referrerExternalId);
      const isReferrerLinked = memberships.some(
        ({ userId, partnerId, createdAt }) =>
          userId === referrer?.id && partnerId === membership.partnerId && createdAt <= membership.createdAt,
      );
      const wanted = story.connects.filter((one) => one.referrerExternalId === referrerExternalId).length;
      const referrals = referrer && isReferrerLinked ? count('referral', referrer.id) : 0;
      return [
        ...(count('registration', membership.userId) === 1
          ? []
          : [`${memberId} has ${count('registration', membership.userId)} awards for its registration`]),
        ...(referrer && isReferrerLinked && (referrals < 1 || referrals > wanted)
          ? [`${referrerExternalId} has ${referrals} awards for ${wanted} members`]
          : []),
      ];
    }),
};

/** The day, the week (by its Monday) or the month of an instant in a time zone. */
function periodKey(period: string, at: string, timeZone: string): string {
  if (period === 'LIFETIME') return period;
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone }).format(new Date(at));
  if (period === 'DAY') return day;
  if (period === 'MONTH') return day.slice(0, 7);
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.toISOString().slice(0, 10);
}

const limits: Check = {
  name: 'limits are kept, and counted right',
  find: (end) => {
    const decisions = decisionsOf(end);
    const users = [...new Set(end.memberships.map(({ userId }) => userId))];
    return end.scene.campaigns.flatMap((campaign) =>
      campaign.limits.flatMap((limit) =>
        users.flatMap((userId) => {
          const own = decisions.filter((one) => one.campaign === campaign && one.awards[0]?.userId === userId);
          const uses = own.map((one) => ({
            period: periodKey(limit.period, one.at, campaign.timeZone),
            used:
              limit.unit === 'EVENTS'
                ? Number(one.awards.some((award) => isStanding(end, award)))
                : pointsLeft(end, one),
          }));
          const name = `${limit.most} ${limit.unit} of ${campaign.name} for ${userId}`;
          const counted = end.reading.books.usage.filter(
            (one) => one.userId === userId && one.campaignId === campaign.id && one.limitId === limit.limitId,
          );
          const [total, stored] = [sum(uses, ({ used }) => used), sum(counted, ({ used }) => used)];
          // What is restored was within the maximum when it was given, and may exceed it now.
          const isRestored = end.transactions.some(
            (one) => one.isRestoration && one.campaignId === campaign.id && one.userId === userId,
          );
          const exceeded = [...Map.groupBy(uses, ({ period }) => period)].filter(
            ([, of]) => !isRestored && sum(of, ({ used }) => used) > limit.most,
          );
          return [
            ...exceeded.map(([period]) => `${name} is exceeded in ${period}`),
            ...(total === stored ? [] : [`${name}: counted ${stored}, used ${total}`]),
          ];
        }),
      ),
    );
  },
};

const pointsLeft = (end: End, { awards }: Decision): number =>
  sum(
    awards.filter((award) => isStanding(end, award)),
    (award) => leftOf(end, award).points,
  );

/** Of an order with refunds, each award has left what the rest of the order is worth. */
const refunds: Check = {
  name: 'refunds reverse exactly their part',
  find: (end) => [...end.story.orders.flatMap((placed) => refundRecordProblems(end, placed)), ...reversalProblems(end)],
};

function refundRecordProblems(end: End, placed: PlacedOrder): string[] {
  const order = end.orders.find(({ uuid }) => uuid === placed.id);
  if (!order) return [];
  const own = end.refunds.filter(({ refundedUuid }) => refundedUuid === order.uuid);
  const total = sum(own, ({ amountCents }) => amountCents);
  const missing = placed.refunds.filter(
    ({ externalId, cents, isAccepted }) =>
      isAccepted && !own.some((one) => one.externalRefundId === externalId && one.amountCents === cents),
  );
  return [
    ...missing.map(({ externalId }) => `refund ${externalId} of order ${placed.externalId} is absent`),
    ...(total > order.totalCents ? [`${total} of ${order.totalCents} cents of ${placed.externalId} are refunded`] : []),
    ...(total === order.refundedCents && total === order.refundsAppliedCents
      ? []
      : [`order ${placed.externalId}: ${order.refundedCents} and ${order.refundsAppliedCents} refunded, not ${total}`]),
    ...((order.state === 'REFUNDED') === (total === order.totalCents)
      ? []
      : [`${placed.externalId} is ${order.state}`]),
  ];
}

function reversalProblems(end: End): string[] {
  return decisionsOf(end).flatMap((decision) => {
    const { claim, campaign, awards } = decision;
    const isRefundable = claim?.kind === 'PURCHASE' && campaign.kind !== 'transfer';
    const order = end.orders.find(
      (one) =>
        isRefundable && one.merchantId === claim.merchantId && one.externalOrderId === claim.externalTransactionId,
    );
    const isPaid = paymentsOf(end, claim).length > 0;
    return awards.filter(isDone).flatMap((award) => {
      const left = leftOf(end, award);
      if (left.points < 0 || left.cashbackCents < 0) return [`more of ${nameOf(award)} is reversed than was given`];
      if (order && !isPaid && isCertain(end, decision, award, order)) return restProblems(end, decision, award, order);
      const isRight = order || isPaid || left.points === award.points;
      return isRight ? [] : [`${nameOf(award)} is reversed without a refund`];
    });
  });
}

/** The payments that name the external transaction of a claim: their refunds and disputes count for it, too. */
const paymentsOf = ({ payments }: End, claim: AwardClaim | undefined) =>
  payments.filter(
    ({ uuid, merchantId, book }) =>
      claim &&
      (uuid === claim.orderUuid ||
        (merchantId === claim.merchantId && book.orderExternalIds.includes(claim.externalTransactionId))),
  );

/** The award has left what the part of the order that is not refunded is worth. */
function restProblems(end: End, decision: Decision, award: RewardTransaction, order: Order): string[] {
  const left = leftOf(end, award);
  const isPaidByPoints = award.type === 'EARN' && paidByPoints(end, order) >= order.totalCents;
  const rest = isPaidByPoints ? 0 : order.totalCents - order.refundedCents;
  const net = modelReward(decision, award, Math.floor((decision.cents * rest) / order.totalCents));
  const expected = { points: Math.min(award.points, net?.points ?? 0), cashbackCents: net?.cashbackCents ?? 0 };
  if (left.points === expected.points && left.cashbackCents === expected.cashbackCents) return [];
  return [
    `${nameOf(award)} of ${order.externalOrderId}, of which ${rest} of ${order.totalCents} cents are left: ` +
      `${left.points} points ${left.cashbackCents} cents are left, not ${expected.points} and ${expected.cashbackCents}`,
  ];
}

/**
 * Whether the model knows what refunds leave. It does not after a program refused a reversal, where the policy reverses
 * nothing, for a token that was asked for after a refund, and for the reward of an order that points paid in part.
 */
function isCertain(end: End, { campaign, claim }: Decision, award: RewardTransaction, order: Order): boolean {
  const isRefused = end.transactions.some(({ reverses, state }) => reverses?.id === award.id && state === 'FAILED');
  const isKept = campaign.policy === 'only_pending' && award.type === 'EARN';
  const own = end.refunds.filter(({ refundedUuid }) => refundedUuid === order.uuid);
  const isLate = own.some(({ createdAt }) => createdAt <= (claim?.issuedAt ?? '')) && claim?.orderUuid === undefined;
  const paid = award.type === 'EARN' ? paidByPoints(end, order) : 0;
  const isShared = paid > 0 && paid < order.totalCents;
  return !isRefused && !isKept && !isLate && !isShared;
}

/** Points are neither made nor lost: the balance less what the member owes is what the transactions moved. */
const balances: Check = {
  name: 'every balance is what its transactions moved',
  find: ({ memberships, transactions, reading }) =>
    memberships.flatMap(({ userId, partnerId, availablePoints, heldPoints, owedPoints, cashbackCents }) => {
      const isOwn = (one: { readonly userId: number; readonly partnerId: number }) =>
        one.userId === userId && one.partnerId === partnerId;
      const done = transactions.filter((one) => isOwn(one) && isDone(one));
      const others = reading.books.entries.filter((one) => isOwn(one) && ['OPENING', 'ADJUSTMENT'].includes(one.kind));
      const moved = sum(done, (one) => signOf(one) * (one.type === 'EARN' ? one.points : 0 - one.points));
      const expected = moved + sum(others, ({ points }) => points);
      const cents = sum(done, (one) => signOf(one) * one.cashbackCents);
      const name = `member ${userId} in program ${partnerId}`;
      return [
        ...(availablePoints + heldPoints - owedPoints === expected
          ? []
          : [`${name} has ${availablePoints} + ${heldPoints} points and owes ${owedPoints}, not ${expected} in all`]),
        ...(cashbackCents === cents ? [] : [`${name} has ${cashbackCents} cents of cashback, not ${cents}`]),
      ];
    }),
};

/** Totals of campaigns and partnerships, counted from the transactions. */
const totals: Check = {
  name: 'totals are the sums of transactions',
  find: ({ reading, transactions, scene }) => {
    const done = transactions.filter(isDone);
    const subjects = [
      ...reading.partnerships.map((uuid) => ({ name: `partnership ${uuid}`, uuid, campaignId: null })),
      ...scene.campaigns.map(({ id, name }) => {
        const uuid = transactions.find(({ campaignId }) => campaignId === id)?.partnershipUuid ?? '';
        return { name: `campaign ${name}`, uuid, campaignId: id };
      }),
    ];
    return subjects.flatMap(({ name, uuid, campaignId }) => {
      const own = done.filter(
        (one) => one.partnershipUuid === uuid && (campaignId ?? one.campaignId) === one.campaignId,
      );
      const counters = reading.after.filter(
        ({ subject }) => subject.partnershipUuid === uuid && (campaignId ?? subject.campaignId) === subject.campaignId,
      );
      const net = (type: 'EARN' | 'REDEEM', amount: (one: RewardTransaction) => number) =>
        sum(
          own.filter((one) => one.type === type),
          (one) => signOf(one) * amount(one),
        );
      const points = (one: RewardTransaction) => (one.isForeign ? 0 : one.points);
      const expected = {
        earnedPoints: net('EARN', points),
        redeemedPoints: net('REDEEM', points),
        cashbackCents: net('EARN', (one) => one.cashbackCents),
        transactions: own.filter(isAward).length,
      };
      return (Object.keys(expected) as (keyof typeof expected)[]).flatMap((total) => {
        const found = sum(counters, (counter) => counter.totals[total]);
        return found === expected[total] ? [] : [`${total} of ${name}: ${found}, not ${expected[total]}`];
      });
    });
  },
};

/** A purchase, an order or a decided payment counts towards spend, once for each external id. */
const spending: Check = {
  name: 'spend counts every purchase once',
  find: (end) => {
    const spent = end.claims.filter(
      (claim) => claim.state === 'SPENT' && claim.kind === 'PURCHASE' && !claim.isTransfer && !claim.orderUuid,
    );
    const paysWithPoints = ({ rewards }: (typeof spent)[number]) => rewards.some(({ type }) => type === 'REDEEM');
    const nameOf = (merchantId: number, externalId: string) => `${merchantId} ${externalId}`;
    // Refunds and points reduce the spend of a purchase. `reconcile` compares the exact amounts.
    const reduced = new Set([
      ...spent
        .filter((claim) => paysWithPoints(claim) || (claim.refundedCents ?? 0) > 0)
        .map((claim) => nameOf(claim.merchantId, claim.externalTransactionId)),
      ...end.orders
        .filter(({ refundedCents }) => refundedCents > 0)
        .map((order) => nameOf(order.merchantId, order.externalOrderId)),
      ...end.payments.flatMap((payment) => {
        const { refunds: returned, disputes, refundedTotals, captures } = payment.book;
        const isWhole =
          Object.keys({ ...returned, ...disputes, ...refundedTotals }).length === 0 &&
          Object.values(captures).every(({ status }) => status !== 'failed');
        const { externalTransactionId } = spentBy(payment) ?? {};
        return isWhole || externalTransactionId === undefined
          ? []
          : [nameOf(payment.merchantId, externalTransactionId)];
      }),
    ]);
    const bought = [
      ...spent
        .filter((claim) => !paysWithPoints(claim))
        .map((claim) => ({ ...claim, at: claim.spentAt ?? claim.issuedAt })),
      ...end.orders.map((order) => ({
        ...{ userId: order.userId, merchantId: order.merchantId, externalTransactionId: order.externalOrderId },
        ...{ amountCents: eligibleOf(order), at: order.createdAt },
      })),
      ...end.payments.flatMap((payment) => {
        const { userId, merchantId, countsAt: at } = payment;
        const { externalTransactionId, amountCents } = spentBy(payment) ?? {};
        if (userId === undefined || at === undefined || externalTransactionId === undefined) return [];
        return [{ userId, merchantId, externalTransactionId, amountCents: amountCents ?? 0, at }];
      }),
    ];
    return end.memberships.flatMap(({ userId, partnerId, createdAt }) =>
      end.scene.merchants.flatMap(({ id: merchantId }) => {
        const purchases = Map.groupBy(
          bought.filter((one) => one.merchantId === merchantId),
          ({ externalTransactionId }) => externalTransactionId,
        );
        // The first of several claims and orders of one purchase counts; the model does not know which was the first.
        const possible = [...purchases.values()].map((own) =>
          own.map((one) => (one.userId === userId && one.at >= createdAt ? one.amountCents : 0)),
        );
        const kept = [...purchases].filter(([externalId]) => !reduced.has(nameOf(merchantId, externalId)));
        const least = sum(kept, ([, own]) =>
          Math.min(...own.map((one) => (one.userId === userId && one.at >= createdAt ? one.amountCents : 0))),
        );
        const most = sum(possible, (cents) => Math.max(...cents));
        const found = sum(
          end.spend.filter(
            (one) => one.userId === userId && one.partnerId === partnerId && one.merchantId === merchantId,
          ),
          ({ spentCents }) => spentCents,
        );
        const name = `member ${userId} at ${merchantId}, linked to ${partnerId}`;
        return found < least || found > most ? [`${name} spent ${found} cents, not ${least} to ${most}`] : [];
      }),
    );
  },
};

/** The first award of a payment, or what the payment would have earned for. */
function spentBy({ awards: [first], spent }: Payment) {
  return first ? { externalTransactionId: first.externalTransactionId, amountCents: first.eligibleCents } : spent;
}

/** Points that leave one program arrive in the other: the legs of a transfer end together. */
const transfers: Check = {
  name: 'both legs of a transfer happen, or neither',
  find: ({ transactions }) =>
    transactions
      .filter(({ otherLegId }) => otherLegId !== undefined)
      .flatMap((leg) => {
        const other = transactions.find(({ id }) => id === leg.otherLegId);
        return other?.state === leg.state ? [] : [`${nameOf(leg)} and ${other ? nameOf(other) : 'no other leg'}`];
      }),
};

/** The partner's own program has the transactions that the platform calls confirmed, each once, and no others. */
const programTransactions: Check = {
  name: 'the program applied every transaction once',
  find: ({ transactions, scene, programBooks, reading }) => {
    const own = transactions.filter(({ partnerId }) => partnerId === scene.ownProgramOf);
    const known = new Map(own.map((one) => [one.uuid, one]));
    const settled = new Map(
      reading.books.entries
        .filter(({ kind, partnerId }) => kind === 'SETTLEMENT' && partnerId === scene.ownProgramOf)
        .map((entry) => [settlementUuidOf(entry.transactionUuid), entry]),
    );
    const foreign = Object.keys(programBooks.transactions).filter((uuid) => !known.has(uuid) && !settled.has(uuid));
    const movedBy = (uuid: string) =>
      programBooks.movements.filter(({ transaction_uuid }) => transaction_uuid === uuid);
    return [
      ...foreign.map((uuid) => `the program has ${uuid}, which the platform does not`),
      ...[...settled].flatMap(([uuid, entry]) => {
        const points = sum(movedBy(uuid), (movement) => movement.points);
        return points === entry.points ? [] : [`the program moved ${points} points to settle ${entry.points}`];
      }),
      ...own.flatMap((one) => {
        const entry = programBooks.transactions[one.uuid];
        const moved = movedBy(one.uuid);
        const points = sum(moved, (movement) => movement.points);
        const expected = isDone(one) ? postedPoints(one) : 0;
        const isConfirmed = entry?.status === 'confirmed';
        return [
          ...(isConfirmed === isDone(one) ? [] : [`the program has ${nameOf(one)} as ${entry?.status ?? 'absent'}`]),
          ...(points === expected ? [] : [`the program moved ${points} points for ${nameOf(one)}, not ${expected}`]),
          ...(moved.length > 2 ? [`the program moved the points of ${nameOf(one)} ${moved.length} times`] : []),
        ];
      }),
    ];
  },
};

/** What the program moves for a transaction: an award and a repaid payment add points. */
function postedPoints(transaction: RewardTransaction): number {
  const adds = ['EARN', 'REDEEM_REVERSAL', 'EARN_RESTORATION'].includes(kindOf(transaction));
  return adds ? coveredPoints(transaction) : 0 - coveredPoints(transaction);
}

/** What moved at the program itself is adjusted, and nothing else. */
const programBalances: Check = {
  name: 'the program has the same balances',
  find: ({ memberships, scene, story, programBooks, reading }) =>
    memberships
      .filter(({ partnerId }) => partnerId === scene.ownProgramOf)
      .flatMap(({ userId, partnerId, externalId, availablePoints, heldPoints }) => {
        const account = programBooks.accounts[externalId];
        const adjusted = sum(
          reading.books.entries.filter(
            (one) => one.userId === userId && one.partnerId === partnerId && one.kind === 'ADJUSTMENT',
          ),
          ({ points }) => points,
        );
        const moved = story.moved.get(externalId) ?? 0;
        const balance = availablePoints + heldPoints;
        return [
          ...(account?.balance === balance ? [] : [`${externalId} has ${balance}, at the program ${account?.balance}`]),
          ...(adjusted === moved ? [] : [`${externalId} is adjusted by ${adjusted}, and ${moved} moved`]),
        ];
      }),
};

/** Every payment is recorded as it was reported, awarded once, and left with the reward of what is left of it. */
const payments: Check = {
  name: 'every payment earns what is left of it',
  find: (end) => end.story.sales.flatMap((sale) => saleProblems(end, sale).map((what) => `${sale.id}: ${what}`)),
};

function saleProblems(end: End, sale: Sale): string[] {
  const [payment, ...others] = end.payments.filter(
    ({ merchantId, paymentId, book }) =>
      merchantId === sale.merchant.id &&
      [paymentId, ...book.aliases].some((id) => id === sale.id || sale.captures.some((one) => one.id === id)),
  );
  if (!payment) return ['it is not recorded'];
  if (others.length > 0) return [`it is recorded ${others.length + 1} times`];
  const position = positionOf(sale);
  const unawarded = position.eligibleCents - sum(payment.awards, ({ eligibleCents }) => eligibleCents);
  return [
    ...(unawarded < 0 ? [`it is awarded for ${0 - unawarded} cents too many`] : []),
    ...(unawarded > 0 ? unawardedProblems(end, { sale, payment, cents: unawarded }) : []),
    ...netProblems(sale, payment, position),
    ...(sale.orderId === undefined ? rewardProblems(end, payment, position.netCents) : []),
  ];
}

/** Refunds that the merchant reported for the order of a payment may leave less. */
function netProblems({ orderId }: Sale, { awards, netCents }: Payment, position: SalePosition): string[] {
  const isRight = orderId === undefined ? netCents === position.netCents : netCents <= position.netCents;
  return awards.length === 0 || isRight ? [] : [`net ${netCents} cents, not ${position.netCents}`];
}

/** Each award of a payment has left what its share of the net amount is worth; the first award has the first cents. */
function rewardProblems(end: End, payment: Payment, netCents: number): string[] {
  let rest = netCents;
  return payment.awards.flatMap(({ externalTransactionId, eligibleCents }) => {
    const net = Math.min(rest, eligibleCents);
    rest -= net;
    return decisionsOf(end)
      .filter(({ claim }) => claim?.merchantId === payment.merchantId)
      .filter(({ claim }) => claim?.externalTransactionId === externalTransactionId)
      .flatMap((decision) =>
        decision.awards.filter(isDone).flatMap((award) => {
          const isRefused = reversalsOf(end, award, ['FAILED']).length > 0;
          const isKept = decision.campaign.policy === 'only_pending';
          if (isRefused || isKept) return [];
          const left = leftOf(end, award);
          const model = modelReward(decision, award, net);
          const expected = {
            points: Math.min(award.points, model?.points ?? 0),
            cashbackCents: model?.cashbackCents ?? 0,
          };
          if (left.points === expected.points && left.cashbackCents === expected.cashbackCents) return [];
          return [
            `${nameOf(award)} for ${eligibleCents} cents, of which ${net} are left: ${left.points} points ` +
              `${left.cashbackCents} cents are left, not ${expected.points} and ${expected.cashbackCents}`,
          ];
        }),
      );
  });
}

/** A payment of a member, of which something is left, earns under every campaign without a limit. */
function unawardedProblems(
  end: End,
  { sale, payment, cents }: { readonly sale: Sale; readonly payment: Payment; readonly cents: number },
): string[] {
  const userId = userOf(end, sale);
  const paidAt = new Date(Math.min(...sale.captures.map(({ at }) => at))).toISOString();
  // A link that is made at the merchant claims the payments that the customer made there before.
  const mayClaim = sale.merchant === end.scene.merchants[0];
  const purchase = {
    merchantId: sale.merchant.id,
    externalIds: payment.awards.map(({ externalTransactionId }) => externalTransactionId),
    userId,
    reason: payment.reason,
  };
  const rewarding = ofOneProgram(end, purchase).filter(
    ({ kind, partnerId, limits, rewards }) =>
      kind === 'earn' &&
      limits.length === 0 &&
      rewards(cents).some(({ points, cashbackCents }) => points + cashbackCents > 0) &&
      end.memberships.some(
        (one) => one.userId === userId && one.partnerId === partnerId && (one.createdAt <= paidAt || mayClaim),
      ),
  );
  // The customer of the platform may be another member by now.
  const isUncertain = sale.orderId !== undefined || payment.reason === 'several_members';
  if (isUncertain || positionOf(sale).netCents === 0) return [];
  return rewarding.map(({ name }) => `${cents} cents are not awarded under ${name}: ${payment.reason}`);
}

/** The user behind the customer of a sale: a member, or a person who has linked an account since. */
function userOf({ scene, story, memberships }: End, { externalId, merchant }: Sale): number | undefined {
  const isLinkable = merchant === scene.merchants[0];
  const linked = story.connects.find((one) => isLinkable && one.externalId === externalId)?.memberId;
  const member = scene.members.find((one) => one.externalId === externalId);
  return member?.id ?? memberships.find((one) => one.externalId === linked)?.userId;
}

/** Every check. A new one is added here. */
const checks: readonly Check[] = [
  reconciliation,
  events,
  nothingPending,
  velocity,
  uniqueAwards,
  oneProgram,
  amounts,
  acknowledged,
  orders,
  triggers,
  keyed,
  links,
  limits,
  refunds,
  balances,
  totals,
  spending,
  transfers,
  programTransactions,
  programBalances,
  payments,
];
