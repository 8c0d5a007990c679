import { randomUUID } from 'node:crypto';
import { timingMs } from '../../shared/contracts/limits.ts';
import type { Campaign } from '../../shared/domain/campaign/document/campaign.ts';
import type { RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import { finalizeTransactions } from '../../shared/operations/posting/finalize-transactions.ts';
import { checkPurchase } from '../../shared/operations/reconcile/check-purchase.ts';
import { Transactions } from '../../shared/store/ledger/transactions.ts';
import { aFlow, earning } from '../domain/fixtures.ts';
import { forLife, runCampaign } from './campaigns.ts';
import { canonicalText, connectAccounts, ingest } from './payment-story.ts';
import { comeToRest } from './settle.ts';
import type { Shopper } from './shoppers.ts';
import { makeWorld, type World, withSources } from './world.ts';

/** Purchases that grow with each payment, and the program's answers for their rewards, one by one. */

type Answer = 'confirmed' | 'rejected';

/** A world with a campaign of one action, and one of two actions. A member may use each for some events. */
export async function makeGrowthWorld(events: number) {
  const world = await makeWorld();
  await connectAccounts(world);
  const limits = [{ ...forLife('EVENTS', events), bound: 'MAXIMUM' as const }];
  const launch = (actions: Parameters<typeof aFlow>[0]) =>
    runCampaign(world, { flows: [{ ...aFlow(actions), limits }] });
  const one = await launch([earning(10_000)]);
  const two = await launch([earning(10_000, 2), earning(20_000, 3)]);
  return { world, one, two };
}

/** A purchase that grows with each payment. */
export class GrowingPurchase {
  /** The ids of its payments. */
  readonly payments: string[] = [];
  readonly #world: World;
  readonly #shopper: Shopper;
  readonly #orderId: string;

  constructor(world: World, shopper: Shopper, orderId: string = randomUUID()) {
    this.#world = world;
    this.#shopper = shopper;
    this.#orderId = orderId;
  }

  async pay(amount: number): Promise<void> {
    const payment_id = randomUUID();
    this.payments.push(payment_id);
    await this.#report('payment.completed', {
      ...{ payment_id, amount, currency: 'USD', order_id: this.#orderId },
      customer: { external_id: this.#shopper.externalId },
    });
  }

  /** Refunds a payment, named by its position. A refund that fails has the id of the refund that was completed. */
  async refund(position: number, amount: number, { id = randomUUID() as string, kind = 'completed' } = {}) {
    const payment_id = this.payments[position];
    await this.#report(`refund.${kind}`, { payment_id, refund_id: id, amount, currency: 'USD' });
  }

  /** Reports a stage of the dispute of a payment, named by its position. */
  async dispute(position: number, amount: number, stage: 'funds_withdrawn' | 'won' | 'lost') {
    const payment_id = this.payments[position];
    await this.#report(`dispute.${stage}`, { payment_id, dispute_id: payment_id, amount, currency: 'USD' });
  }

  async #report(kind: string, detail: object): Promise<void> {
    await ingest(this.#world, canonicalText(this.#world, kind, detail));
    await settleAll(this.#world);
  }

  /** The rewards of a campaign, the oldest first. */
  async rewards({ id: campaignId }: Campaign): Promise<RewardTransaction[]> {
    const { platform, demo } = this.#world;
    const head = await platform.spend.find({ merchantId: demo.merchant.id, externalTransactionId: this.#orderId });
    const ids = head?.transactionIds ?? [];
    const found = (await platform.transactions.findAll(ids)).filter((one) => one.campaignId === campaignId);
    return found.toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
  }

  /** The reward at a position, which must exist. */
  async reward(campaign: Campaign, position: number): Promise<RewardTransaction> {
    const found = (await this.rewards(campaign))[position];
    if (!found) throw new Error(`the purchase has no reward ${position}`);
    return found;
  }
}

export const settleAll = (world: World): Promise<void> => comeToRest(world, ['payment_changed', 'purchase_changed']);

/** What waits for the program: rewards, reversals and restorations; those of one reward, if it is named. */
export async function waitingLegs({ table, platform }: World, original?: RewardTransaction) {
  const ids: number[] = [];
  for await (const item of table.mirror.read(['transaction'])) {
    const { id, state, reverses } = item as Partial<RewardTransaction>;
    const isOf = original === undefined || reverses?.id === original.id;
    if (id !== undefined && state === 'PENDING' && isOf) ids.push(id);
  }
  return (await platform.transactions.findAll(ids)).toSorted((one, other) => one.id - other.id);
}

/** Lets the program answer for a transaction. `meanwhile` runs between the read and the write of the answer. */
export async function answer(
  world: World,
  leg: RewardTransaction,
  kind: Answer,
  meanwhile?: () => Promise<unknown>,
): Promise<void> {
  const answered = kind === 'confirmed' ? { kind, references: [] } : { kind, rejectedId: leg.id, reason: 'closed' };
  let isOver = meanwhile === undefined;
  class Late extends Transactions {
    override async finalize(...parameters: Parameters<Transactions['finalize']>): Promise<void> {
      if (!isOver) {
        isOver = true;
        await meanwhile?.();
      }
      await super.finalize(...parameters);
    }
  }
  const transactions = new Late(world.platform.table);
  await finalizeTransactions({ legs: [leg], answer: answered }, { ...world.platform, transactions });
  await settleAll(world);
}

/** Lets the program answer for the reversal or restoration of a reward that waits. */
export async function answerFor(
  world: World,
  original: RewardTransaction | undefined,
  kind: Answer,
  meanwhile?: () => Promise<unknown>,
): Promise<void> {
  const [leg] = original ? await waitingLegs(world, original) : [];
  if (!leg) throw new Error(`nothing of transaction ${original?.id} waits`);
  await answer(world, leg, kind, meanwhile);
}

/** Confirms everything that waits, and what follows from it. */
export async function confirmAll(world: World): Promise<void> {
  for (let legs = await waitingLegs(world); legs.length > 0; legs = await waitingLegs(world)) {
    for (const leg of legs) await answer(world, leg, 'confirmed');
  }
}

/** How many events a campaign counts for a member. */
export async function countedEvents({ platform }: World, { id }: Shopper, campaign: Campaign): Promise<number> {
  const member = await platform.members.find(id);
  return member?.usage.find(({ campaignId }) => campaignId === campaign.id)?.used ?? 0;
}

/** What the daily reconciliation finds much later of a purchase with rewards. */
export async function findDue(world: World, purchase: GrowingPurchase, campaigns: readonly Campaign[]) {
  const [reward] = (await Promise.all(campaigns.map((campaign) => purchase.rewards(campaign)))).flat();
  if (!reward) return [];
  const { merchantId, externalTransactionId } = reward;
  const later = withSources(world, { now: () => new Date(Date.now() + 2 * timingMs.toleratedPending) });
  return checkPurchase({ key: { merchantId, externalTransactionId: externalTransactionId ?? '' } }, later);
}
