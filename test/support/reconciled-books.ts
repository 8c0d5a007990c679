import { maximumCount, timingMs } from '../../shared/contracts/limits.ts';
import { type Partition, partitions } from '../../shared/contracts/table.ts';
import { mismatchText } from '../../shared/domain/reconciliation/invariants.ts';
import type { PurchaseReport } from '../../shared/operations/purchase/load-book.ts';
import { checkPurchase, checkPurchaseStores } from '../../shared/operations/reconcile/check-purchase.ts';
import { reconcileDaily, reconcileDailyStores } from '../../shared/operations/reconcile/reconcile-daily.ts';
import { withStores } from '../../shared/runtime/runtime.ts';
import { BookScan } from '../../shared/store/ledger/reconciliations.ts';
import { membershipKey } from '../../shared/store/member/members.ts';
import type { Item, Key } from '../../shared/store/table/table-client.ts';
import { scan as scanTable } from '../../tools/admin/reconcile/read-books.ts';
import { reconcileTable } from '../../tools/admin/reconcile/reconcile-table.ts';
import { awardCashback } from './cashback.ts';
import { countStream } from './count-stream.ts';
import { confirm } from './finalize.ts';
import { connectAccounts } from './payment-story.ts';
import { livePerson, type Person } from './person-story.ts';
import { newShopper, type Shopper } from './shoppers.ts';
import { silentLog } from './silent-log.ts';
import { createTransaction } from './story.ts';
import { makeWorld, type World } from './world.ts';

/** How a test runs the daily reconciliation. */
export interface Walk {
  readonly itemsPerPage?: number;
  readonly pagesPerRun?: number;
  /** How far the clock of the reconciliation is ahead of the real clock. */
  readonly laterMs?: number;
  /** Continues the last reconciliation. Otherwise, the last one is forgotten. */
  readonly isSameDay?: boolean;
  /** Called after each page that is read. */
  readonly during?: (page: number) => Promise<void>;
}

const progressKey = { pk: `${partitions.sequence}reconcile-daily`, sk: 'RECONCILIATION' };

/** A table with every kind of book item; runs the daily reconciliation and the command `reconcile` on it. */
export class ReconciledBooks {
  readonly world: World;
  readonly person: Person;
  /** A member with cashback that is not paid out. */
  readonly payee: Shopper;

  private constructor(world: World, person: Person, payee: Shopper) {
    this.world = world;
    this.person = person;
    this.payee = payee;
  }

  static async make(): Promise<ReconciledBooks> {
    const world = await makeWorld();
    await connectAccounts(world);
    const person = await livePerson(world);
    const payee = await newShopper(world, 100);
    await awardCashback(world, payee, 300);
    await countStream(world);
    return new ReconciledBooks(world, person, payee);
  }

  /** The id of the first member of the demonstration. */
  get ada(): number {
    return this.world.demo.members[0]?.id ?? 0;
  }

  /** The key of the account of the demonstration's first member. */
  get account(): Key {
    return membershipKey(this.ada, this.world.demo.partner.id);
  }

  accountItem(): Promise<Item> {
    const { pk, sk } = this.account;
    return this.findItem('user', (item) => item.pk === pk && item.sk === sk);
  }

  /** Makes a purchase, which the program confirms. */
  async buy(what: 'earn' | 'redeem', amount: number): Promise<void> {
    const { platform, demo } = this.world;
    await confirm(await createTransaction(this.world, { campaignId: demo.campaigns[what], amount }), platform);
  }

  /** The first item of a partition for which `isWanted` returns true. */
  async findItem(partition: Partition, isWanted: (item: Item) => boolean = () => true): Promise<Item> {
    for await (const item of scanTable(this.world.table, [partition])) if (isWanted(item)) return item;
    throw new Error(`there is no such item in ${partition}`);
  }

  /** Adds an item. @returns a function that deletes it */
  async putNew(item: Item): Promise<() => Promise<unknown>> {
    const { table } = this.world.platform;
    await table.write({ kind: 'put', item });
    return () => table.write({ kind: 'delete', key: { pk: item.pk, sk: item.sk } });
  }

  /** Damages an item, or deletes it. @returns a function that repairs it */
  async damage(item: Item, how: (item: Item) => Item | undefined): Promise<() => Promise<unknown>> {
    const { table } = this.world.platform;
    const damaged = how(item);
    const key = { pk: item.pk, sk: item.sk };
    await table.write(damaged ? { kind: 'put', item: damaged } : { kind: 'delete', key });
    return () => table.write({ kind: 'put', item });
  }

  /** Adds points to the account of the first member, without a ledger entry. @returns a function that repairs it */
  async addPoints(points: number): Promise<() => Promise<unknown>> {
    return this.damage(await this.accountItem(), plus('availablePoints', points));
  }

  /** Deletes the progress of the daily reconciliation. */
  async forget(): Promise<void> {
    await this.world.platform.table.write({ kind: 'delete', key: progressKey });
  }

  /**
   * Runs the daily reconciliation until it ends.
   *
   * @returns its result, the mismatches that it logged, and how many runs it took
   */
  async reconcileDaily(walk: Walk = {}) {
    const { itemsPerPage = 10_000, pagesPerRun = 1_000, laterMs = 0, isSameDay = false, during } = walk;
    const { platform, table } = this.world;
    if (!isSameDay) await this.forget();
    const { log, lines } = silentLog();
    const books = new BookScan(table.documents, table.name, itemsPerPage);
    let pages = 0;
    const scan = {
      unread: books.unread,
      after: async (position: Key | undefined) => {
        const page = await books.after(position);
        pages += 1;
        await during?.(pages);
        return page;
      },
    };
    const found = () =>
      lines.filter(([, text]) => text === 'books.mismatch').map(([, , data]) => `${data.subject}: ${data.what}`);
    for (let runs = 1; runs < 1_000; runs += 1) {
      const base = pages;
      const now = () => new Date(Date.now() + laterMs + (pages - base >= pagesPerRun ? timingMs.reconcileRun : 0));
      const stores = withStores({ ...platform, log, now }, { ...reconcileDailyStores, ...checkPurchaseStores });
      const check = (report: PurchaseReport) => checkPurchase(report, stores);
      const deps = { ...stores, scan, check, pause: async () => {} };
      const result = await reconcileDaily(deps);
      if (result || runs > pages + 50) return { result, found: found(), lines, runs, pages };
    }
    throw new Error('the reconciliation never ends');
  }

  /** Compares the books as the command `reconcile` does. @returns the mismatches that it found */
  async reconcileByHand(laterMs = 0): Promise<string[]> {
    const { platform: own, table } = this.world;
    const platform = { ...own, now: () => new Date(Date.now() + laterMs) };
    const { mismatches } = await reconcileTable(table, platform);
    return mismatches.map(mismatchText);
  }
}

/** An item without one of its attributes. */
export const without = (item: Item, attribute: string): Item => {
  const { [attribute]: _, ...others } = item;
  return { ...others, pk: item.pk, sk: item.sk };
};

/** Adds to a number of an item. */
export const plus = (attribute: string, amount: number) => (item: Item) => ({
  ...item,
  [attribute]: Number(item[attribute] ?? 0) + amount,
});

/** Makes shelves so small that the books of the table need many. */
export async function withSmallShelves<Result>(work: () => Promise<Result>, size = 40): Promise<Result> {
  const { reconciledItems } = maximumCount;
  Object.assign(maximumCount, { reconciledItems: size });
  try {
    return await work();
  } finally {
    Object.assign(maximumCount, { reconciledItems });
  }
}
