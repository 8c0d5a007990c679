import { shareCharges } from '../../domain/ledger/finalize.ts';
import type { RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import { counterName } from '../../domain/ledger/sum-movements.ts';
import { awardGrowth, withWaiting } from '../../domain/purchase/move.ts';
import { type Growth, moneyBought } from '../../domain/purchase/settle.ts';
import { countOfEvent, type EventCount, eventCharges, rewardsOfEvent } from '../../domain/purchase/shared-event.ts';
import type { FurtherAward, PurchaseMoves } from '../../store/ledger/reversals.ts';
import type { Members } from '../../store/member/members.ts';
import type { Deps } from '../operation.ts';
import type { Book } from './load-book.ts';

/** Makes the further awards of a purchase that grew. */

/** A part of a campaign's reward that no transaction has yet. */
export interface CampaignGrowth {
  readonly campaignId: number;
  /** The name under which the head records what was forgone. */
  readonly name: string;
  readonly growth: Growth;
}

/** What becomes of growth in one round of a settlement. */
export interface Grown {
  readonly further: readonly FurtherAward[];
  /** Rewards whose answers the growth waits for. */
  readonly waiting: PurchaseMoves['waiting'];
  /** What limits left no room for, by campaign, flow and action. */
  readonly forgone: Readonly<Record<string, number>>;
  /** Whether a part has to wait for the next round: this round changes a reward of the same event. */
  readonly isCut: boolean;
}

type GrowDeps = Deps & { readonly members: Members };

const nothing: Grown = { further: [], waiting: [], forgone: {}, isCut: false };

/**
 * Makes the further awards of a purchase that grew, within the room that limits leave now.
 *
 * @param changed the ids of the transactions that the same round changes
 */
export async function growAll(
  due: readonly CampaignGrowth[],
  changed: readonly number[],
  book: Book,
  deps: GrowDeps,
): Promise<Grown> {
  const [first] = due;
  if (!first) return nothing;
  const member = await deps.members.find(first.growth.template.userId);
  const used = new Map((member?.usage ?? []).map((one) => [counterName({ ...one, userId: 0 }), one.used] as const));
  const round = { book, used, busy: new Set(changed) };
  const grown = due.map((one) => grow(one, round, deps));
  return {
    further: grown.flatMap(({ further }) => further),
    waiting: distinct(grown.flatMap(({ waiting }) => waiting)),
    forgone: Object.assign({}, ...grown.map(({ forgone }) => forgone)),
    isCut: grown.some(({ isCut }) => isCut),
  };
}

/** Several growths may wait for one reward. */
const distinct = (waiting: Grown['waiting']): Grown['waiting'] => [
  ...new Map(waiting.map((one) => [one.original.id, one])).values(),
];

/** What the growths of one round share. */
interface GrowthRound {
  readonly book: Book;
  /** The use of the member's limits, with the further awards of this round. */
  readonly used: Map<string, number>;
  /** The ids of the transactions of which a write depends, or that a write changes. */
  readonly busy: Set<number>;
}

function grow(due: CampaignGrowth, { book, used, busy }: GrowthRound, deps: GrowDeps): Grown {
  const { campaignId, name, growth } = due;
  const rewards = rewardsOfEvent(growth, book.transactions);
  const event = countOfEvent(growth, rewards);
  if (event.kind !== 'unlimited' && rewards.some(({ id }) => busy.has(id))) return { ...nothing, isCut: true };
  if (event.kind === 'returning') {
    return { ...nothing, waiting: [{ original: event.holder, refunds: withWaiting(event.holder, []) }] };
  }
  const usageName = (limitId: number, period: string) => counterName({ userId: 0, campaignId, limitId, period });
  const transaction = awardGrowth(growth, {
    amountCents: moneyBought(book.statements, campaignId),
    events: event.kind === 'uncounted' ? event.charges : [],
    usedOf: (limitId, period) => used.get(usageName(limitId, period)) ?? 0,
    ids: deps.nextIds(),
    now: deps.now(),
  });
  for (const { limitId, period, amount } of transaction?.charges ?? []) {
    const key = usageName(limitId, period);
    used.set(key, (used.get(key) ?? 0) + amount);
  }
  if (transaction) for (const { id } of rewards) busy.add(id);
  const lost = sizeOf(growth) - (transaction ? sizeOf(transaction) : 0);
  return {
    ...nothing,
    further: transaction ? [withEvent(transaction, growth, event, rewards)] : [],
    forgone: lost > 0 ? { [name]: (book.purchase.forgone[name] ?? 0) + lost } : {},
  };
}

/** Points, or cents of cashback: an action gives only one of them. */
const sizeOf = ({ points, cashbackCents }: Pick<Growth, 'points' | 'cashbackCents'>) => points + cashbackCents;

/** Connects a further award with the rewards that share its event. */
function withEvent(
  transaction: RewardTransaction,
  growth: Growth,
  event: EventCount,
  rewards: readonly RewardTransaction[],
): FurtherAward {
  const ids = rewards.map(({ id }) => id);
  if (event.kind === 'counted') {
    const events = eventCharges(growth.flow);
    return { transaction, holder: shareCharges(event.holder, { events, ids: [...ids, transaction.id] }) };
  }
  return { transaction: event.kind === 'uncounted' ? { ...transaction, sharesChargesWith: ids } : transaction };
}
