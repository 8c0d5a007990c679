import { awsMaximumItems } from '../../contracts/limits.ts';
import { award, chargesOf, type DecidedReward, type Reservation } from '../../domain/award/claim.ts';
import { type AwardRequest, decideAwards, type Earner } from '../../domain/award/decide-awards.ts';
import { type AwardRejection, type Finalizable, withTransactions } from '../../domain/award/finalization.ts';
import { type LimitUsage, type Member, seenAt } from '../../domain/member/member.ts';
import { authenticationIdOf } from '../../store/award/claims.ts';
import { type EventAwards, EventConflictError, LimitConflictError } from '../../store/ledger/transactions.ts';
import { concerning, type Write } from '../../store/table/table-client.ts';
import { type Deps, decideAndWrite } from '../operation.ts';
import type { awardEventStores } from './award-event.ts';

type AwardDeps = Deps<typeof awardEventStores>;

/** How orders, or trigger events, are awarded in batches. */
export interface BatchRules<Item extends Finalizable> {
  /**
   * Finds the pending record of a message; undefined when the record is finalized.
   *
   * @throws Error when there is no record
   */
  readonly find: (entityId: string) => Promise<Item | undefined>;
  /** Records with the same key have the same member, merchant and campaigns. */
  readonly keyOf: (record: Item) => string;
  readonly requestOf: (record: Item) => AwardRequest;
  /** Loads the member of a record, and the campaigns active at `at` or later. */
  readonly loadEarner: (record: Item, at: Date) => Promise<Earner>;
  /** Returns the writes that finalize a record. The record already contains its awards. */
  readonly endWrites: (record: Item, rejection: AwardRejection) => readonly Write[];
  /**
   * Awards one record by itself. This waits for the tokens of its purchase, and adds the awards of earlier runs to the
   * record.
   */
  readonly awardAlone: (entityId: string) => Promise<void>;
}

/**
 * Awards the records of a batch of messages. Records of one member are awarded together: the decisions are made one
 * after the other, and one write stores all awards and finalizes all records. Separate writes would conflict at the
 * counters of the member's limits, so most writes would have to be repeated. Members are awarded in parallel.
 *
 * Records that cannot be awarded together with others are awarded afterwards, one after the other.
 *
 * @returns for each id, the error that its record failed with, or undefined when the record is done
 */
export async function awardBatch<Item extends Finalizable>(
  entityIds: readonly string[],
  rules: BatchRules<Item>,
  deps: AwardDeps,
): Promise<unknown[]> {
  const errors = new Map<string, unknown>();
  const attempt = async (ids: readonly string[], work: () => Promise<void>) => {
    await work().catch((error: unknown) => {
      for (const id of ids) errors.set(id, error);
    });
  };
  const pending: Pending<Item>[] = [];
  await Promise.all(
    [...new Set(entityIds)].map((entityId) =>
      attempt([entityId], async () => {
        const record = await concerning(entityId, () => rules.find(entityId));
        if (record) pending.push({ entityId, record, request: rules.requestOf(record) });
      }),
    ),
  );
  const groups = [...Map.groupBy(pending, ({ record }) => rules.keyOf(record)).values()];
  await Promise.all(
    groups.map((group) =>
      attempt(
        group.map(({ entityId }) => entityId),
        async () => {
          const alone = await new GroupRun(group.toSorted(byTime), rules, deps).awardAll();
          for (const { entityId } of alone) {
            await attempt([entityId], () => concerning(entityId, () => rules.awardAlone(entityId)));
          }
        },
      ),
    ),
  );
  return entityIds.map((entityId) => errors.get(entityId));
}

/** A record to award, with the entity id of its message. */
interface Pending<Item> {
  readonly entityId: string;
  readonly record: Item;
  readonly request: AwardRequest;
}

/** Sorts records by the time of their events: the older event uses a limit first. */
const byTime = ({ request: one }: Pending<unknown>, { request: other }: Pending<unknown>) =>
  one.event.at.getTime() - other.event.at.getTime();

/** The decision about one record of a group. */
interface Plan<Item> extends EventAwards {
  readonly pending: Pending<Item>;
  /** Campaigns whose limits leave no award. */
  readonly limited: readonly number[];
}

/** One run over the records of one member. */
class GroupRun<Item extends Finalizable> {
  readonly #rules: BatchRules<Item>;
  readonly #deps: AwardDeps;
  #open: readonly Pending<Item>[];
  readonly #alone: Pending<Item>[] = [];
  /** The pairs of a record and a campaign for which no token was found. */
  readonly #unclaimed = new Set<string>();

  constructor(records: readonly Pending<Item>[], rules: BatchRules<Item>, deps: AwardDeps) {
    this.#open = records;
    this.#rules = rules;
    this.#deps = deps;
  }

  /** @returns the records that were not awarded, because they have to be awarded alone */
  async awardAll(): Promise<readonly Pending<Item>[]> {
    for (let [first] = this.#open; first; [first] = this.#open) await this.#awardNext(first);
    return this.#alone;
  }

  /** Awards as many records as fit into one write, or sets at least one record aside, to be awarded alone. */
  #awardNext({ record, request: { event } }: Pending<Item>): Promise<void> {
    return decideAndWrite(
      {
        subject: 'the limit usage of a user who is awarded for several events',
        load: () => this.#rules.loadEarner(record, event.at),
        write: (earner) => this.#award(earner),
        conflicts: [LimitConflictError],
      },
      this.#deps,
    );
  }

  async #award(earner: Earner): Promise<void> {
    const plans = this.#decide(earner);
    await this.#checkOwnTokens(plans);
    const together = plansThatFit(plans);
    if (together.length === 0) return this.#setAside(plans.slice(0, 1));
    try {
      await this.#deps.transactions.awardTogether(together, this.#context);
      this.#close(together);
    } catch (error) {
      if (error instanceof LimitConflictError) throw error;
      const inTheWay =
        error instanceof EventConflictError ? error.positions.flatMap((at) => together[at] ?? []) : together;
      this.#setAside(inTheWay);
    }
  }

  /** Decides one record after the other. Each decision includes the limit usage of the decisions before it. */
  #decide(earner: Earner): Plan<Item>[] {
    const { now } = this.#context;
    let { member } = earner;
    return this.#open.map((pending) => {
      const { record, request } = pending;
      const { basis, event } = request;
      // The member was loaded as of the oldest event. An account may have been unlinked between the oldest event and
      // this one.
      const seen = seenAt(member, basis.merchantId, event.at);
      const { awards, limited, rejection } = decideAwards({ ...earner, member: seen }, event);
      const reservations = awards.map((decided) => this.#reserve({ ...earner, member }, request, decided));
      for (const { claim } of reservations) member = withUse(member, claim);
      const changed = reservations.reduce((item, { claim }) => withTransactions(item, claim, now), record);
      const { entityId } = pending;
      const basisWrites = concerning(entityId, () => this.#rules.endWrites(changed, rejection));
      return { pending, entityId, limited, awards: reservations, basisWrites };
    });
  }

  #reserve({ member, isOneOfSeveral }: Earner, { basis }: AwardRequest, decided: DecidedReward): Reservation {
    const { config, nextIds, random } = this.#deps;
    const token = authenticationIdOf({ ...basis, campaignId: decided.campaign.id }, config.stage, random(16));
    return award({ ...basis, member, isOneOfSeveral, now: this.#context.now }, decided, token, nextIds);
  }

  /**
   * If limits leave a purchase without an award, the purchase's own token may have used these limits. This function
   * looks for such tokens. A purchase with a token is awarded alone.
   *
   * @throws LimitConflictError when the decision has to be made again, as {@link awardEvent} does
   */
  async #checkOwnTokens(plans: readonly Plan<Item>[]): Promise<void> {
    const unknown = plans.flatMap((plan) => {
      const { basis } = plan.pending.request;
      // Only purchases have tokens.
      if ((basis.kind ?? 'PURCHASE') !== 'PURCHASE') return [];
      return plan.limited
        .map((campaignId) => ({ plan, key: { ...basis, campaignId }, name: `${plan.pending.entityId} ${campaignId}` }))
        .filter(({ name }) => !this.#unclaimed.has(name));
    });
    if (unknown.length === 0) return;
    const found = await Promise.all(unknown.map(({ key }) => this.#deps.claims.find(key)));
    for (const { name } of unknown.filter((_, position) => !found[position])) this.#unclaimed.add(name);
    this.#setAside(unknown.filter((_, position) => found[position]).map(({ plan }) => plan));
    throw new LimitConflictError();
  }

  #close(plans: readonly Plan<Item>[]): void {
    const closed = new Set(plans.map(({ pending }) => pending));
    this.#open = this.#open.filter((pending) => !closed.has(pending));
  }

  #setAside(plans: readonly Plan<Item>[]): void {
    this.#alone.push(...new Set(plans.map(({ pending }) => pending)));
    this.#close(plans);
  }

  get #context() {
    return { now: this.#deps.now(), nextUuid: this.#deps.nextUuid };
  }
}

/** The member after a claim: the member's limit usage contains the claim's charges. */
function withUse(member: Member, claim: Reservation['claim']): Member {
  const uses = chargesOf(claim).map(({ limitId, period, amount }) => ({ limitId, period, amount }));
  const { campaignId, userId } = claim;
  const isSame = (usage: LimitUsage, use: (typeof uses)[number]) =>
    usage.campaignId === campaignId && usage.limitId === use.limitId && usage.period === use.period;
  const usage = uses.reduce<readonly LimitUsage[]>((all, use) => {
    const used = all.find((one) => isSame(one, use))?.used ?? 0;
    const { limitId, period, amount } = use;
    return [...all.filter((one) => !isSame(one, use)), { userId, campaignId, limitId, period, used: used + amount }];
  }, member.usage);
  return { ...member, usage };
}

/**
 * Returns the first plans whose writes fit into one DynamoDB transaction. Counts one item for each charge of a limit.
 */
function plansThatFit<Item>(plans: readonly Plan<Item>[]): Plan<Item>[] {
  const fitting: Plan<Item>[] = [];
  let size = 0;
  for (const plan of plans) {
    size += sizeOf(plan);
    if (size > awsMaximumItems.itemsPerTransaction) return fitting;
    fitting.push(plan);
  }
  return fitting;
}

const sizeOf = ({ awards, basisWrites }: EventAwards): number =>
  awards.reduce(
    // The items of an award: the claim, the decision, the program of the purchase if the merchant has several, one
    // reward transaction for each reward, and one item for each charge. A reward transaction carries its event, so the
    // event needs no item.
    (size, { claim }) => size + (claim.keepsProgram ? 3 : 2) + claim.rewards.length + chargesOf(claim).length,
    basisWrites.length,
  );
