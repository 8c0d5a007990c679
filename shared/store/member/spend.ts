import { createHash } from 'node:crypto';
import { maximumAttempts } from '../../contracts/limits.ts';
import { partitions } from '../../contracts/table.ts';
import { seenAt } from '../../domain/member/member.ts';
import {
  type CountedPurchase,
  countSpend,
  newPurchase,
  Purchase,
  type PurchaseKey,
  type Spent,
  withSpent,
} from '../../domain/purchase/purchase.ts';
import { countOnce } from '../table/count-once.ts';
import {
  type Condition,
  ConditionFailedError,
  ContentionError,
  defineEntity,
  type Item,
  type Key,
  Repository,
  type TableClient,
  type Write,
} from '../table/table-client.ts';
import { Members, spendAddition } from './members.ts';

/**
 * Purchases. The same purchase may arrive several times: under two campaigns, as an order after a token, or in a batch
 * that is delivered again. The item is never deleted, because an order, a token or a refund of the same purchase may
 * come at any time. The item exists when the purchase is counted, when points paid for it, or when it is refunded.
 */
const purchases = defineEntity(Purchase, ({ merchantId, externalTransactionId }: PurchaseKey) => ({
  pk: `${partitions.countedSpend}${digestOf(merchantId, externalTransactionId)}`,
  sk: 'COUNTED',
}));

const digestOf = (...key: readonly (number | string)[]) =>
  createHash('sha256').update(JSON.stringify(key)).digest('hex');

/** A text that identifies a purchase: the partition key of its item. */
export const purchaseName = (key: PurchaseKey): string => purchases.key(key).pk;

/** The key of the item of a purchase, by its name. */
export const keyOfPurchase = (name: string): Key => ({ pk: name, sk: 'COUNTED' });

/**
 * Whether the purchase of an item is counted in spend totals. If it is not, the item records only paid points or
 * refunds. The item may be faulty: it need not match its schema.
 */
export const isCounted = (item: Item): boolean => item.spent !== undefined || isOfUnknownAmount(item);

/** Whether the purchase of an item is counted in spend totals although its amount is not recorded. */
export const isOfUnknownAmount = (item: Item): boolean =>
  item.revision === undefined || item.isOfUnknownAmount === true;

/** Parses a purchase from an item; undefined for an item that only marks a purchase as counted, without its amount. */
export const parsePurchase = (item: Item): Purchase | undefined =>
  item.revision === undefined ? undefined : purchases.parse(item);

const toPurchase = (item: Item, key: PurchaseKey): Purchase =>
  parsePurchase(item) ?? { ...newPurchase(key), isOfUnknownAmount: true };

/** Reads purchases, and counts them into the spend of their members. */
export class SpendCounter extends Repository {
  readonly #members: Members;

  constructor(table: TableClient) {
    super(table);
    this.#members = new Members(table);
  }

  /** A purchase as it is recorded; undefined while nothing about it is recorded. */
  async find(key: PurchaseKey): Promise<Purchase | undefined> {
    const item = await this.table.get(purchases.key(key));
    return item && toPurchase(item, key);
  }

  /** The purchases with these keys that are recorded, in no order. */
  async findAll(keys: readonly PurchaseKey[]): Promise<Purchase[]> {
    const byName = new Map(keys.map((key) => [purchaseName(key), key]));
    const items = await this.table.getAll([...byName.keys()].map(keyOfPurchase));
    return items.flatMap((item) => {
      const key = byName.get(item.pk);
      return key ? [toPurchase(item, key)] : [];
    });
  }

  /**
   * Adds purchases to the spend of their members. Only the first report of an external transaction counts.
   *
   * @returns the purchases that had a record already, because they were counted for an earlier report, paid with
   *   points, or refunded
   */
  async count(spent: readonly Spent[]): Promise<Purchase[]> {
    const byUser = Map.groupBy(spent, ({ userId }) => userId);
    return (await Promise.all([...byUser].map(([userId, ofUser]) => this.#countOf(userId, ofUser)))).flat();
  }

  async #countOf(userId: number, spent: readonly Spent[]): Promise<Purchase[]> {
    const member = await this.#members.find(userId);
    // If the user was merged since, the purchase belongs to the kept user.
    const own = member ? spent.map((one) => ({ ...one, userId: member.user.id })) : spent;
    const things = own.map((one) => {
      const { memberships = [] } = member ? seenAt(member, one.merchantId, new Date(one.at)) : {};
      const record = (purchase: Purchase) => withSpent(purchase, one, memberships);
      const { purchase, totals } = countSpend(record(newPurchase(one)));
      const additions = totals.map(spendAddition);
      return { mark: purchases.item(purchases.key(one), purchase), additionsFor: () => additions, one, record };
    });
    const known = await countOnce(this.table, things);
    const merged: Purchase[] = [];
    for (const { one, record } of known) merged.push(await this.settle(one, record));
    return merged;
  }

  /**
   * Changes a purchase and, in the same write, the spend of its member. If another writer changes the purchase first,
   * the change is decided again. A change that returns its argument writes nothing.
   *
   * @returns the purchase after the change
   * @throws ContentionError when other writers keep changing the purchase; a retry may succeed
   */
  async settle(key: PurchaseKey, change: (purchase: Purchase) => Purchase): Promise<Purchase> {
    for (let attempt = 1; attempt <= maximumAttempts.write; attempt += 1) {
      const found = (await this.find(key)) ?? newPurchase(key);
      const changed = change(found);
      if (changed === found) return found;
      const counted = countSpend(changed);
      if (await this.#write(found, counted)) return counted.purchase;
      await this.table.pause(attempt);
    }
    throw new ContentionError(`purchase ${key.externalTransactionId} of merchant ${key.merchantId} kept changing`);
  }

  /** @returns false when the purchase was changed since it was read */
  async #write(found: Purchase, counted: CountedPurchase): Promise<boolean> {
    try {
      await this.table.transact(writesOf(found, counted));
      return true;
    } catch (error) {
      if (error instanceof ConditionFailedError) return false;
      throw error;
    }
  }

  /**
   * The writes of a changed head, with what the change adds to the spend of its member.
   *
   * @returns writes that fail when the head was changed since it was read
   */
  countedWrites(changed: Purchase): Write[] {
    return writesOf(changed, countSpend(changed));
  }

  /**
   * The writes of two heads of which one joins the other. What the two add to one spend total is added up, because a
   * DynamoDB transaction writes an item once.
   */
  joinWrites(into: Purchase, from: Purchase | undefined): Write[] {
    const counted = [into, ...(from ? [from] : [])].map((head) => ({ head, ...countSpend(head) }));
    const byTotal = Map.groupBy(
      counted.flatMap(({ totals }) => totals),
      ({ userId, merchantId, partnerId }) => [userId, merchantId, partnerId].join(),
    );
    const totals = [...byTotal.values()].flatMap((own) =>
      own.slice(0, 1).map((one) => ({ ...one, spentCents: own.reduce((sum, { spentCents }) => sum + spentCents, 0) })),
    );
    const [first, ...others] = counted;
    return [
      ...others.flatMap(({ head, purchase }) => writesOf(head, { purchase, totals: [] })),
      ...(first ? writesOf(first.head, { ...first, totals: totals.filter(({ spentCents }) => spentCents !== 0) }) : []),
    ];
  }

  /** The write of a changed head whose spend is counted later. Fails when the head was changed since it was read. */
  changeWrites(changed: Purchase): Write[] {
    return writesOf(changed, { purchase: { ...changed, revision: changed.revision + 1 }, totals: [] });
  }
}

/** The writes of a changed purchase, on the condition that its revision is still the one that was read. */
function writesOf({ revision }: Pick<Purchase, 'revision'>, { purchase, totals }: CountedPurchase): Write[] {
  const isUnchanged: Condition =
    revision === 0 ? { attribute: 'revision', is: 'absent' } : { attribute: 'revision', is: '=', value: revision };
  return [
    { kind: 'put', item: purchases.item(purchases.key(purchase), purchase), when: [isUnchanged] },
    ...totals.map(spendAddition).map(({ key, set, add }) => ({
      kind: 'update' as const,
      key,
      changes: { ...(set && { set }), add },
    })),
  ];
}
