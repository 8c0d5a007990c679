import { beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { dayMs, maximumCount, timingMs } from '../../../shared/contracts/limits.ts';
import { bookAttributes, partitions } from '../../../shared/contracts/table.ts';
import { spendOfClaim, withReturned } from '../../../shared/domain/order/spend.ts';
import { sumCounted } from '../../../shared/domain/reconciliation/counted-totals.ts';
import { findMismatches, mismatchText } from '../../../shared/domain/reconciliation/invariants.ts';
import { BookBuilder, bookPartitions, memberOf, mergedMark } from '../../../shared/operations/book-builder.ts';
import { countChanges, countChangesStores } from '../../../shared/operations/count-changes.ts';
import { reconcileBooks } from '../../../shared/operations/reconcile-books.ts';
import { reconcileDaily, reconcileDailyStores } from '../../../shared/operations/reconcile-daily.ts';
import { reconcileTotals, totalsMismatches } from '../../../shared/operations/reconcile-totals.ts';
import { withStores } from '../../../shared/runtime/runtime.ts';
import { BookScan, type ReconciliationProgress } from '../../../shared/store/ledger/reconciliations.ts';
import { membershipKey } from '../../../shared/store/member/members.ts';
import { keyOfPurchase, purchaseName } from '../../../shared/store/member/spend.ts';
import type { Changes, Item, Key } from '../../../shared/store/table/table-client.ts';
import { readAll, scan as scanTable } from '../../../tools/admin/reconcile/read-books.ts';
import { aMembership } from '../../domain/fixtures.ts';
import { awardCashback } from '../../support/cashback.ts';
import { confirm } from '../../support/finalize.ts';
import { connectAccounts } from '../../support/payment-story.ts';
import { livePerson, type Person } from '../../support/person-story.ts';
import { newShopper } from '../../support/shoppers.ts';
import { silentLog } from '../../support/silent-log.ts';
import { createTransaction, issueToken } from '../../support/story.ts';
import { makeWorld, type World } from '../../support/world.ts';
import { commandLineOf } from '../../tools/admin/command-line.ts';

// A merge waits for the end of requests that began before. In these tests they have ended.
vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof import('node:timers/promises')>();
  return { ...real, setTimeout: (ms: number) => (ms > 5_000 ? Promise.resolve() : real.setTimeout(ms)) };
});

let world: World;
let person: Person;

beforeAll(async () => {
  world = await makeWorld();
  await connectAccounts(world);
  person = await livePerson(world);
  const payee = await newShopper(world, 100);
  await awardCashback(world, payee, 300);
  const { script } = commandLineOf(world.table);
  const exported = await script('cashback', 'export', 'Corner Coffee × Skyline Miles');
  const points = ['--program', 'Skyline Miles', '--points', '50', '--reason', 'Goodwill', '--reference', 'T-1'];
  const adjusted = await script('member', 'adjust', String(payee.id), ...points, '--yes');
  expect([exported.status, adjusted.status]).toEqual([0, 0]);
  await countAll();
});

const ada = () => world.demo.members[0]?.id ?? 0;
const account = () => membershipKey(ada(), world.demo.partner.id);
const progressKey = { pk: `${partitions.sequence}reconcile-daily`, sk: 'RECONCILIATION' };

/** Does what the stream's consumer does, for every item. */
async function countAll(): Promise<void> {
  const items: Item[] = [];
  for await (const item of scanTable(world.table, ['ledger', 'claim', 'order', 'payment'])) {
    if (/^(CLAIM|ORDER#|PAYMENT#)|#[A-Z_]+$/.test(item.sk) && !('refersTo' in item)) items.push(item);
  }
  await countChanges(items, withStores(world.platform, countChangesStores));
}

async function buy(what: 'earn' | 'redeem', amount: number): Promise<void> {
  const transaction = await createTransaction(world, { campaignId: world.demo.campaigns[what], amount });
  await confirm(transaction, world.platform);
}

interface Walk {
  readonly itemsPerPage?: number;
  readonly pagesPerRun?: number;
  /** The time of the walk, from now. */
  readonly laterMs?: number;
  readonly isSameDay?: boolean;
  readonly during?: (page: number) => Promise<void>;
}

/** Runs the reconciliation until it ends, and returns its result, what it found, and how many runs it took. */
async function reconcileAll(walk: Walk = {}) {
  const { itemsPerPage = 10_000, pagesPerRun = 1_000, laterMs = 0, isSameDay = false, during } = walk;
  if (!isSameDay) await world.platform.table.write({ kind: 'delete', key: progressKey });
  const { log, lines } = silentLog();
  const books = new BookScan(world.table.documents, world.table.name, itemsPerPage);
  let pages = 0;
  const scan = {
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
    const deps = { ...withStores({ ...world.platform, log, now }, reconcileDailyStores), scan, pause: async () => {} };
    const result = await reconcileDaily(deps);
    if (result || runs > pages + 50) return { result, found: found(), lines, runs, pages };
  }
  throw new Error('the reconciliation never ends');
}

/** What the operator's command finds. */
async function reconcileByHand(laterMs = 0): Promise<string[]> {
  const platform = { ...world.platform, now: () => new Date(Date.now() + laterMs) };
  const reading = await readAll(platform, world.table);
  const readAgain = async () => (await readAll(platform, world.table)).books;
  const { mismatches } = await reconcileBooks({ first: reading.books, readAgain, now: platform.now });
  return [...mismatches, ...totalsMismatches(reconcileTotals(reading))].map(mismatchText);
}

const update = (key: Key, changes: Changes) => world.platform.table.write({ kind: 'update', key, changes });

/** Damages an item, and returns how to repair it. */
async function damage(item: Item, how: (item: Item) => Item | undefined): Promise<() => Promise<unknown>> {
  const { table } = world.platform;
  const key = { pk: item.pk, sk: item.sk };
  const damaged = how(item);
  await table.write(damaged ? { kind: 'put', item: damaged } : { kind: 'delete', key });
  return () => table.write({ kind: 'put', item });
}

/** The first item of a kind that a test accepts. */
async function findItem(
  partition: Parameters<typeof scanTable>[1][number],
  isWanted: (item: Item) => boolean = () => true,
): Promise<Item> {
  for await (const item of scanTable(world.table, [partition])) if (isWanted(item)) return item;
  throw new Error(`there is no such item in ${partition}`);
}

const without = (item: Item, attribute: string): Item => {
  const { [attribute]: _, ...others } = item;
  return { ...others, pk: item.pk, sk: item.sk };
};

/** Adds to a number of an item. */
const plus = (attribute: string, amount: number) => (item: Item) => ({
  ...item,
  [attribute]: Number(item[attribute] ?? 0) + amount,
});

describe('reconcile-daily', () => {
  it('finds nothing in consistent books', async () => {
    await buy('earn', 42.5);
    await createTransaction(world, { campaignId: world.demo.campaigns.redeem, amount: 4 });
    await issueToken(world, 'held', { campaignId: world.demo.campaigns.redeem, amount: 3 });
    await countAll();

    const { result, found } = await reconcileAll();
    expect(found).toEqual([]);
    expect(result).toMatchObject({ mismatches: 0, moving: 0, accounts: 4 });
    expect((await reconcileAll({ isSameDay: true })).result).toBeUndefined();
    expect((await reconcileAll({ isSameDay: true, laterMs: dayMs })).result).toMatchObject({ mismatches: 0 });
    expect(await reconcileByHand()).toEqual([]);
  });

  type Violation = readonly [name: string, damage: () => Promise<() => Promise<unknown>>, found: string];
  const violations: readonly Violation[] = [
    ['a balance', async () => damage(await accountItem(), plus('availablePoints', 5)), 'balance and ledger'],
    [
      'held points',
      async () => damage(await accountItem(), (item) => plus('heldPoints', 300)(plus('availablePoints', -300)(item))),
      'held points and reservations',
    ],
    [
      'owed points',
      async () => damage(await accountItem(), (item) => ({ ...item, owedPoints: 9 })),
      'owed points and shortfalls',
    ],
    [
      'the opening balance of an account',
      async () =>
        damage(await findItem('programAccount', ({ bookedAt }) => bookedAt !== undefined), plus('openingPoints', 1)),
      'opening balance and program account',
    ],
    [
      'the counter of a limit',
      async () => {
        const period = new Date().toISOString().slice(0, 7);
        const sk = `USAGE#${world.demo.campaigns.earn}#9#${period}`;
        const counter = { userId: ada(), campaignId: world.demo.campaigns.earn, limitId: 9, period, used: 4 };
        return putNew({ pk: `${partitions.user}${ada()}`, sk, ...counter });
      },
      'and rewards',
    ],
    [
      'the counter of a velocity rule',
      async () => {
        const window = new Date().toISOString().slice(0, 10);
        const counter = { userId: ada(), partnerId: world.demo.partner.id, rule: 'REWARDS_PER_DAY', window, used: 3 };
        const pk = `${partitions.velocity}${ada()}#${world.demo.partner.id}`;
        return putNew({ pk, sk: `REWARDS_PER_DAY#${window}`, ...counter });
      },
      'and rewards',
    ],
    [
      'spend',
      async () => damage(await findItem('user', ({ sk }) => sk.startsWith('SPEND#')), plus('spentCents', 7)),
      'spend and purchases (cents)',
    ],
    [
      'a purchase',
      async () => damage(await findItem('countedSpend'), plus('countedCents', 1)),
      'counted spend and money (cents)',
    ],
    [
      'a missing claim',
      async () => damage(await findItem('claim', ({ state }) => state === 'SPENT'), () => undefined),
      'claims that name it',
    ],
    [
      'a claim’s state',
      async () =>
        damage(await findItem('claim', ({ state }) => state === 'SPENT'), (item) => ({ ...item, state: 'ISSUED' })),
      'states of its transactions',
    ],
    [
      'a missing ledger entry',
      async () =>
        damage(await findItem('ledger', ({ kind, points }) => kind === 'EARN' && points !== 0), () => undefined),
      'ledger entries',
    ],
    [
      'a reversal',
      async () =>
        damage(
          await findItem('transaction', ({ reverses, sk }) => reverses !== undefined && sk === 'TRANSACTION'),
          plus('points', -1),
        ),
      'reversed points and reversals',
    ],
    [
      'totals of a campaign',
      async () => damage(await findItem('partnership', ({ sk }) => sk.startsWith('TOTALS#')), plus('earnedPoints', 11)),
      'points earned and ledger',
    ],
    ['a missing account', async () => damage(await accountItem(), () => undefined), 'account of the ledger'],
    [
      'a manual adjustment without its record',
      async () => {
        const entry = await findItem(
          'ledger',
          ({ pk }) => pk === `${partitions.ledger}${ada()}#${world.demo.partner.id}`,
        );
        const uuid = '0190a200-0000-7000-8000-000000000001';
        const adjusted = {
          ...entry,
          sk: `${uuid}#MANUAL_ADJUSTMENT`,
          transactionUuid: uuid,
          kind: 'MANUAL_ADJUSTMENT',
          points: 0,
        };
        return putNew({ ...adjusted, campaign: null });
      },
      'ledger entries',
    ],
    [
      'a payout without its entry',
      async () =>
        putNew({
          pk: `${partitions.payout}0190a200`,
          sk: `PAYOUT#${ada()}`,
          userId: ada(),
          partnerId: 2,
          cents: 5,
          isReturned: false,
        }),
      'ledger entries of payouts',
    ],
    [
      'an entry that cannot be read',
      async () =>
        damage(await findItem('ledger', ({ kind, points }) => kind === 'EARN' && points !== 0), (item) =>
          without(item, 'points'),
        ),
      'attributes and schema',
    ],
    [
      'an account that cannot be read',
      async () => damage(await accountItem(), (item) => ({ ...item, heldPoints: 'many' })),
      'attributes and schema',
    ],
    [
      'a transaction that cannot be read',
      async () =>
        damage(await findItem('transaction', ({ sk }) => sk === 'TRANSACTION'), (item) => ({ ...item, state: 'LOST' })),
      'attributes and schema',
    ],
    [
      'a purchase that cannot be read',
      async () => damage(await findItem('countedSpend'), (item) => ({ ...item, countedCents: 'many' })),
      'attributes and schema',
    ],
    [
      'a transaction in a state that its kind does not have',
      async () =>
        damage(await findItem('transaction', ({ type, reverses }) => type === 'REDEEM' && !reverses), (item) => ({
          ...item,
          state: 'HELD',
        })),
      'attributes and schema',
    ],
    [
      'a transaction whose member is no member',
      async () =>
        damage(await findItem('transaction', ({ sk }) => sk === 'TRANSACTION'), (item) => ({ ...item, userId: 1.5 })),
      'attributes and schema',
    ],
    [
      'a mark of a merged user that cannot be read',
      async () => putNew({ pk: `${partitions.user}999999`, sk: 'MERGED', userId: 999_999, mergedInto: 'somebody' }),
      'attributes and schema',
    ],
  ];
  const accountItem = async () => findItem('user', ({ pk, sk }) => pk === account().pk && sk === account().sk);
  async function putNew(item: Item): Promise<() => Promise<unknown>> {
    await world.platform.table.write({ kind: 'put', item });
    return () => world.platform.table.write({ kind: 'delete', key: { pk: item.pk, sk: item.sk } });
  }

  it.each(violations)('finds %s that is wrong, as the command does', async (_, break_, what) => {
    const repair = await break_();
    // Counters are compared with what was counted some time before they were read.
    const laterMs = 3 * timingMs.countingWrite;
    const daily = await withSmallShelves(() => reconcileAll({ itemsPerPage: 100, laterMs }));
    const byHand = await reconcileByHand();
    await repair();

    expect(daily.found.join()).toContain(what);
    expect(daily.result).toMatchObject({ mismatches: daily.found.length, moving: 0 });
    const texts = byHand.map((text) => text.split(': ').slice(0, 2).join(': '));
    expect(texts.sort()).toEqual([...daily.found].sort());
  });

  const spentOn = (item: Item) =>
    Reflect.get(Object(item.spent), 'externalTransactionId') ?? item.externalTransactionId ?? item.externalOrderId;
  const isEarning = ({ kind, state, orderUuid, rewards }: Item) =>
    kind === 'PURCHASE' && state === 'SPENT' && !orderUuid && JSON.stringify(rewards).includes('EARN');

  it.each([
    ['claim', isEarning],
    ['order', ({ state }: Item) => state === 'PROCESSED'],
    ['payment', ({ spent }: Item) => spent !== undefined],
  ] as const)('finds a %s that was never counted as spend, some hours later', async (partition, isSource) => {
    const external = spentOn(await findItem(partition, isSource));
    const purchase = await findItem('countedSpend', (item) => item.externalTransactionId === external);
    const repair = await damage(purchase, () => undefined);
    const laterMs = 2 * timingMs.uncountedSpend;
    const young = await reconcileAll();
    const [daily, byHand] = [await reconcileAll({ laterMs }), await reconcileByHand(laterMs)];
    await repair();

    const text = expect.stringMatching(
      new RegExp(
        `^purchase ${external} of merchant ${world.demo.merchant.id} \\([A-Z]+#.+ [A-Z].+\\): counted as spend`,
      ),
    );
    expect(young.found).not.toContainEqual(text);
    expect(daily.found).toContainEqual(text);
    expect(byHand).toContainEqual(text);
  });

  /** Makes shelves so small that the books of the table need many. */
  async function withSmallShelves<Result>(work: () => Promise<Result>, size = 40): Promise<Result> {
    const { reconciledItems } = maximumCount;
    Object.assign(maximumCount, { reconciledItems: size });
    try {
      return await work();
    } finally {
      Object.assign(maximumCount, { reconciledItems });
    }
  }

  it('logs a mismatch without the member’s data', async () => {
    await update(account(), { add: { availablePoints: 5 } });
    const { lines } = await reconcileAll();
    await update(account(), { add: { availablePoints: -5 } });

    const subject = `member ${ada()} in program ${world.demo.partner.id}`;
    const numbers = { found: expect.any(Number), expected: expect.any(Number) };
    expect(lines.filter(([, text]) => text === 'books.mismatch')).toEqual([
      ['error', 'books.mismatch', { subject, what: 'balance and ledger', ...numbers }],
    ]);
  });

  it('goes on where the last run ended, also after a run that died, and finds what is wrong', async () => {
    await update(account(), { add: { availablePoints: 5 } });
    let deaths = 0;
    const during = async (page: number) => {
      if (page % 3 !== 0 || deaths === 4) return;
      deaths += 1;
      throw new Error('the worker dies');
    };
    const walk = { itemsPerPage: 30, pagesPerRun: 2, isSameDay: true };
    await world.platform.table.write({ kind: 'delete', key: progressKey });
    const found: string[] = [];
    let finished: Awaited<ReturnType<typeof reconcileAll>> | undefined;
    while (!finished) {
      try {
        finished = await withSmallShelves(() => reconcileAll({ ...walk, during }));
      } catch (error) {
        expect(String(error)).toContain('the worker dies');
      }
    }
    found.push(...finished.found);
    await update(account(), { add: { availablePoints: -5 } });

    expect(deaths).toBe(4);
    expect(finished.runs).toBeGreaterThan(1);
    expect(finished.result).toMatchObject({ mismatches: 1, accounts: 4 });
    expect(found).toEqual([`member ${ada()} in program ${world.demo.partner.id}: balance and ledger`]);
  });

  it('raises no false alarm while purchases are made', async () => {
    const busy: Promise<unknown>[] = [];
    const during = async (page: number) => {
      if (page % 4 !== 1 || busy.length >= 16) return;
      busy.push(buy(busy.length % 4 ? 'earn' : 'redeem', 20).then(countAll));
      // Each new token for the same purchase replaces the token before, and gives its held points back.
      busy.push(issueToken(world, 'replaced', { campaignId: world.demo.campaigns.redeem, amount: 1 + (page % 3) }));
    };
    const one = await reconcileAll({ itemsPerPage: 60, during });
    await Promise.all(busy);
    const many = await withSmallShelves(() => reconcileAll({ itemsPerPage: 60, during }));
    await Promise.all(busy);

    expect([one.found, many.found]).toEqual([[], []]);
  });

  it('compares a merged member as the kept member', async () => {
    const keep = await newShopper(world, 100);
    const ids = [String(keep.id), String(person.id)];
    const merging = ['--reason', 'Request G-13', '--confirm', String(person.id)];
    const during = async (page: number) => {
      if (page !== 5) return;
      expect((await commandLineOf(world.table).script('member', 'merge', ...ids, ...merging)).status).toBe(0);
    };
    const walk = (more: Walk = {}) => withSmallShelves(() => reconcileAll({ itemsPerPage: 40, ...more }));
    expect((await walk({ during })).result).toMatchObject({ mismatches: 0, moving: 0 });
    expect((await walk()).result).toMatchObject({ mismatches: 0, moving: 0 });

    const isMoved = ({ userId, state, sk, type }: Item) =>
      userId === keep.id && sk === 'TRANSACTION' && state === 'COMPLETED' && type === 'EARN';
    const repair = await damage(await findItem('transaction', isMoved), plus('points', 1));
    const { result, found } = await walk();
    await repair();
    expect(found.join()).toContain('points in the ledger');
    expect(result).toMatchObject({ moving: 0 });
  });

  it('begins again when it stood still so long that its shelves may be deleted', async () => {
    await world.platform.table.write({ kind: 'delete', key: progressKey });
    const dies = async () => Promise.reject(new Error('the worker dies'));
    await expect(reconcileAll({ isSameDay: true, during: dies })).rejects.toThrow('the worker dies');
    const { reconciliations } = withStores(world.platform, reconcileDailyStores);
    const begun = await reconciliations.find();
    const { result } = await reconcileAll({ isSameDay: true, laterMs: 2 * dayMs });
    expect(result?.startedAt).not.toBe(begun?.startedAt);
    expect(result).toMatchObject({ accounts: expect.any(Number) });
  });

  it('is not stopped by marks of merged users that lead in a circle', async () => {
    const marks = [999_998, 999_999].map((userId) => ({
      ...{ pk: `${partitions.user}${userId}`, sk: mergedMark, userId, mergedInto: 1_999_997 - userId },
      ...{ userUuid: 'one', mergedAt: '2026-11-23T10:00:00Z', isMoving: false },
    }));
    for (const mark of marks) await putNew(mark);
    const first = await reconcileAll();
    const next = await reconcileAll({ isSameDay: true, laterMs: dayMs });
    for (const { pk, sk } of marks) await world.platform.table.write({ kind: 'delete', key: { pk, sk } });

    expect([first.found, next.found]).toEqual([[], []]);
    expect(next.result).toMatchObject({ mismatches: 0 });
  });

  it('counts accounts and mismatches once, also when the second scan finds more than the first one', async () => {
    await update(account(), { add: { availablePoints: 5 } });
    const { reconciledItems } = maximumCount;
    let pages = 0;
    const first = await reconcileAll();
    // The table grows by much before the second scan.
    const during = async () => {
      pages += 1;
      if (pages === first.pages / 2 + 1) Object.assign(maximumCount, { reconciledItems: 0.5 });
    };
    const { result, found } = await reconcileAll({ during }).finally(() =>
      Object.assign(maximumCount, { reconciledItems }),
    );
    await update(account(), { add: { availablePoints: -5 } });

    expect(found).toEqual(first.found);
    expect(result).toMatchObject({ accounts: first.result?.accounts, mismatches: first.found.length });
  });

  it('compares spend of a purchase of unknown amount that was refunded later', async () => {
    const { spend } = withStores(world.platform, countChangesStores);
    const { table } = world.platform;
    const key = { merchantId: world.demo.merchant.id, externalTransactionId: 'of-an-early-release' };
    const item = { ...keyOfPurchase(purchaseName(key)) };
    const counter = await findItem('user', ({ sk }) => sk.startsWith('SPEND#'));
    const repair = await damage(counter, plus('spentCents', 700));
    await table.write({ kind: 'put', item });
    const before = await reconcileAll();
    await spend.settle(key, (purchase) => withReturned(purchase, 'an order', { cents: 100, ofCents: 700 }));
    const [after, byHand] = [await reconcileAll(), await reconcileByHand()];
    await table.write({ kind: 'delete', key: item });
    await repair();

    expect([before.found, after.found, byHand]).toEqual([[], [], []]);
  });

  it('lets only one of two simultaneous runs go on', async () => {
    await world.platform.table.write({ kind: 'delete', key: progressKey });
    const results = await Promise.all([reconcileAll({ isSameDay: true }), reconcileAll({ isSameDay: true })]);
    expect(results.filter(({ result }) => result !== undefined)).toHaveLength(1);
  });

  it('scans every attribute that an invariant reads', async () => {
    const books = new BookBuilder();
    for await (const item of scanTable(world.table, bookPartitions)) books.add(item);
    const read = new Set<string>();
    const watched = <Value extends object>(values: readonly Value[]): Value[] =>
      values.map(
        (value) =>
          new Proxy(value, {
            get: (target, name) => {
              read.add(String(name));
              return Reflect.get(target, name);
            },
          }),
      );
    const claims = watched(books.claims);
    const entries = watched(books.entries);
    claims.forEach(spendOfClaim);
    sumCounted(
      entries.map((entry) => ({ entry, countedAt: undefined })),
      { from: '', to: '' },
      new Date(),
    );
    findMismatches(
      {
        ...{ claims, entries, usage: watched(books.usage), velocity: watched(books.velocity) },
        ...{ memberships: watched(books.memberships), transactions: watched(books.transactions) },
        ...{ adjustments: watched(books.adjustments), payouts: watched(books.payouts) },
        spending: {
          ...books.spending,
          totals: watched(books.spending.totals),
          purchases: watched(books.spending.purchases),
        },
        ...{ programAccounts: books.programAccounts, merges: new Map() },
      },
      new Date(),
    );
    // The batch of a payout is in its key. No invariant depends on when a program answers. A check of an account copies it.
    const others = ['batchUuid', 'posting', 'firstName', 'lastName', 'statusTierId'];
    const scanned = new Set([...bookAttributes, ...others]);
    expect(read.size).toBeGreaterThan(40);
    expect([...read].filter((name) => !scanned.has(name))).toEqual([]);
  });

  /** An item with a wrong value in each attribute of the books, and in each field of these attributes. */
  function damagesOf(item: Item): Item[] {
    const values = [undefined, null, 'x', '', -1, 1.5, 1e300, {}, [], [{}]];
    const names = bookAttributes.filter((name) => name in item && name !== 'pk' && name !== 'sk');
    return names.flatMap((name) => {
      const own: unknown = item[name];
      const fields = typeof own === 'object' && own !== null ? Object.keys(own) : [];
      const deep = fields.flatMap((field) => values.map((value) => ({ ...Object(own), [field]: value })));
      return [...values, ...deep].map((value) =>
        value === undefined ? without(item, name) : { ...item, [name]: value },
      );
    });
  }

  /** Compares the books of one item. */
  function compareOnly(item: Item): void {
    const member = memberOf(item);
    if (member !== null && !(Number.isSafeInteger(member) && member > 0)) throw new Error(`a shelf of ${member}`);
    const books = new BookBuilder();
    books.add(item);
    findMismatches(books, new Date());
    const entries = books.entries.map((entry) => ({ entry, countedAt: undefined }));
    sumCounted(entries, { from: '', to: '' }, new Date());
  }

  it('is not stopped by any damage of one item', async () => {
    const kinds = new Map<string, Item>();
    for await (const item of scanTable(world.table, bookPartitions)) {
      const { pk, sk, type, state, kind, reverses } = item;
      kinds.set([pk.split('#')[0], sk.replace(/[^A-Z_].*/, ''), type, state, kind, !reverses].join(), item);
    }
    expect(kinds.size).toBeGreaterThan(15);
    for (const damaged of [...kinds.values()].flatMap(damagesOf)) {
      expect(() => compareOnly(damaged), JSON.stringify(damaged)).not.toThrow();
    }
  });

  it('holds one shelf and one page in memory, whatever the size of the table', async () => {
    const [pageCount, accountsPerPage] = [300, 500];
    /** An entry of one of a thousand campaigns. */
    const anEntry = (userId: number, campaignId: number): Item => ({
      ...{ pk: `${partitions.ledger}${userId}#2`, sk: 'one#EARN', userId, partnerId: 2, transactionId: userId },
      ...{ transactionUuid: 'one', campaign: { id: campaignId, partnershipUuid: 'another' }, kind: 'EARN' },
      ...{ points: 0, cashbackCents: 0, createdAt: '1969-01-01T00:00:00.000Z' },
    });
    let stored: ReconciliationProgress | undefined;
    const shelves = new Map<string, object[]>();
    const sizes = { put: 0, read: 0, progress: 0 };
    const ports = {
      scan: {
        after: async (position: Key | undefined) => {
          const page = Number(position?.pk ?? 0);
          const items = Array.from({ length: accountsPerPage }, (_, index): Item[] => {
            const userId = page * accountsPerPage + index + 1;
            const own = { ...membershipKey(userId, 2), ...aMembership({ userId, availablePoints: 0 }) };
            return index % 5 === 0 ? [own, anEntry(userId, userId % 999)] : [own];
          }).flat();
          return page + 1 < pageCount ? { items, position: { pk: String(page + 1), sk: '' } } : { items };
        },
      },
      shelves: {
        put: async ({ uuid, part }: { uuid: string; part: string }, rows: ReadonlyMap<string, readonly object[]>) => {
          for (const [shelf, own] of rows) shelves.set(`${uuid} ${shelf} ${part}`, [...own]);
          sizes.put = Math.max(sizes.put, [...rows.values()].flat().length);
        },
        read: async <Schema extends z.ZodMiniType>(
          { uuid, parts }: { uuid: string; parts: readonly string[] },
          shelf: string,
          schema: Schema,
        ) => {
          const rows = parts.flatMap((part) => shelves.get(`${uuid} ${shelf} ${part}`) ?? []);
          sizes.read = Math.max(sizes.read, rows.length);
          return z.array(schema).parse(rows);
        },
      },
      reconciliations: {
        find: async () => stored,
        save: async (after: ReconciliationProgress) => {
          stored = after;
          sizes.progress = Math.max(sizes.progress, JSON.stringify(after).length);
          return true;
        },
      },
      table: { getAll: async () => [], query: async () => [] },
      pause: async () => {},
    };
    const deps = { ...withStores(world.platform, reconcileDailyStores), ...ports, now: () => new Date(0) };
    const result = await withSmallShelves(() => reconcileDaily(deps), 2_000);

    expect(result).toMatchObject({ accounts: pageCount * accountsPerPage, mismatches: 0, moving: 0 });
    expect(sizes.put).toBeLessThanOrEqual(2_000 + 2 * accountsPerPage);
    expect(sizes.read).toBeLessThanOrEqual(2 * 2_000);
    expect(sizes.progress).toBeLessThan(10_000);
  });
});
