import { beforeAll, describe, expect, it } from 'vitest';
import { dayMs, timingMs } from '../../../shared/contracts/limits.ts';
import { bookAttributes, bookPartitions, partitions } from '../../../shared/contracts/table.ts';
import { spendOfClaim, withPaid } from '../../../shared/domain/purchase/purchase.ts';
import { sumCounted } from '../../../shared/domain/reconciliation/counted-totals.ts';
import { findMismatches } from '../../../shared/domain/reconciliation/invariants.ts';
import { BookBuilder, memberOf } from '../../../shared/operations/reconcile/book-builder.ts';
import { countChangesStores } from '../../../shared/operations/stream/count-changes.ts';
import { withStores } from '../../../shared/runtime/runtime.ts';
import { keyOfPurchase, purchaseName } from '../../../shared/store/member/spend.ts';
import type { Item } from '../../../shared/store/table/table-client.ts';
import { scan as scanTable } from '../../../tools/admin/reconcile/read-books.ts';
import { countStream } from '../../support/count-stream.ts';
import { confirmAll, postRefund, processedOrder } from '../../support/order-story.ts';
import { plus, ReconciledBooks, without, withSmallShelves } from '../../support/reconciled-books.ts';
import { settleRefund } from '../../support/settle.ts';
import { createTransaction, issueToken } from '../../support/story.ts';
import { commandLineOf } from '../../tools/admin/command-line.ts';

/** What the daily reconciliation finds. Its runs: reconcile-daily-runs.test.ts. */

let books: ReconciledBooks;

beforeAll(async () => {
  books = await ReconciledBooks.make();
  const { script } = commandLineOf(books.world.table);
  const exported = await script('cashback', 'export', 'Corner Coffee × Skyline Miles');
  const points = ['--program', 'Skyline Miles', '--points', '50', '--reason', 'Goodwill', '--reference', 'T-1'];
  const adjusted = await script('member', 'adjust', String(books.payee.id), ...points, '--yes');
  expect([exported.status, adjusted.status]).toEqual([0, 0]);
  await countStream(books.world);
});

describe('reconcile-daily', () => {
  it('finds nothing in consistent books', async () => {
    await books.buy('earn', 42.5);
    await createTransaction(books.world, { campaignId: books.world.demo.campaigns.redeem, amount: 4 });
    await issueToken(books.world, 'held', { campaignId: books.world.demo.campaigns.redeem, amount: 3 });
    await countStream(books.world);

    const { result, found } = await books.reconcileDaily();
    expect(found).toEqual([]);
    expect(result).toMatchObject({ mismatches: 0, moving: 0, accounts: 4 });
    expect((await books.reconcileDaily({ isSameDay: true })).result).toBeUndefined();
    expect((await books.reconcileDaily({ isSameDay: true, laterMs: dayMs })).result).toMatchObject({ mismatches: 0 });
    expect(await books.reconcileByHand()).toEqual([]);
  });

  type Violation = readonly [name: string, damage: () => Promise<() => Promise<unknown>>, found: string];
  const violations: readonly Violation[] = [
    [
      'a wrong balance',
      async () => books.damage(await books.accountItem(), plus('availablePoints', 5)),
      'balance and ledger',
    ],
    [
      'wrong held points',
      async () =>
        books.damage(await books.accountItem(), (item) => plus('heldPoints', 300)(plus('availablePoints', -300)(item))),
      'held points and reservations',
    ],
    [
      'wrong owed points',
      async () => books.damage(await books.accountItem(), (item) => ({ ...item, owedPoints: 9 })),
      'owed points and shortfalls',
    ],
    [
      'a wrong opening balance of an account',
      async () =>
        books.damage(
          await books.findItem('programAccount', ({ bookedAt }) => bookedAt !== undefined),
          plus('openingPoints', 1),
        ),
      'opening balance and program account',
    ],
    [
      'a wrong counter of a limit',
      async () => {
        const period = new Date().toISOString().slice(0, 7);
        const sk = `USAGE#${books.world.demo.campaigns.earn}#9#${period}`;
        const counter = { userId: books.ada, campaignId: books.world.demo.campaigns.earn, limitId: 9, period, used: 4 };
        return books.putNew({ pk: `${partitions.user}${books.ada}`, sk, ...counter });
      },
      'and rewards',
    ],
    [
      'wrong totals of a member at a merchant',
      async () =>
        books.damage(
          await books.findItem(
            'user',
            ({ sk, totalEarnedPoints }) => sk.startsWith('MERCHANT#') && totalEarnedPoints !== 0,
          ),
          plus('totalEarnedPoints', 5),
        ),
      'total earned there and transactions',
    ],
    [
      'a limit above its maximum',
      async () => {
        const charged = await books.findItem(
          'transaction',
          ({ sk, state, reverses }) => sk === 'TRANSACTION' && state === 'COMPLETED' && !reverses,
        );
        const charge = { limitId: 9, period: 'LIFETIME', amount: 4, most: 3 };
        const { userId, campaignId } = charged;
        const sk = `USAGE#${campaignId}#9#LIFETIME`;
        const counter = { userId, campaignId, limitId: 9, period: 'LIFETIME', used: 4 };
        const repairs = [
          await books.damage(charged, (item) => ({ ...item, charges: [charge] })),
          await books.putNew({ pk: `${partitions.user}${userId}`, sk, ...counter }),
        ];
        return () => Promise.all(repairs.map((repair) => repair()));
      },
      'used in LIFETIME and maximum',
    ],
    [
      'a wrong counter of a velocity rule',
      async () => {
        const window = new Date().toISOString().slice(0, 10);
        const counter = {
          userId: books.ada,
          partnerId: books.world.demo.partner.id,
          rule: 'REWARDS_PER_DAY',
          window,
          used: 3,
        };
        const pk = `${partitions.velocity}${books.ada}#${books.world.demo.partner.id}`;
        return books.putNew({ pk, sk: `REWARDS_PER_DAY#${window}`, ...counter });
      },
      'and rewards',
    ],
    [
      'wrong spend',
      async () =>
        books.damage(await books.findItem('user', ({ sk }) => sk.startsWith('SPEND#')), plus('spentCents', 7)),
      'spend and purchases (cents)',
    ],
    [
      'a wrong purchase',
      async () => books.damage(await books.findItem('countedSpend'), plus('countedCents', 1)),
      'counted spend and money (cents)',
    ],
    [
      'a missing claim',
      async () => books.damage(await books.findItem('claim', ({ state }) => state === 'SPENT'), () => undefined),
      'claims that name it',
    ],
    [
      'a wrong state of a claim',
      async () =>
        books.damage(await books.findItem('claim', ({ state }) => state === 'SPENT'), (item) => ({
          ...item,
          state: 'ISSUED',
        })),
      'states of its transactions',
    ],
    [
      'a missing ledger entry',
      async () =>
        books.damage(
          await books.findItem('ledger', ({ kind, points }) => kind === 'EARN' && points !== 0),
          () => undefined,
        ),
      'ledger entries',
    ],
    [
      'a reversal with a wrong number of points',
      async () =>
        books.damage(
          await books.findItem('transaction', ({ reverses, sk }) => reverses !== undefined && sk === 'TRANSACTION'),
          plus('points', -1),
        ),
      'reversed points and reversals',
    ],
    [
      'wrong totals of a campaign',
      async () =>
        books.damage(
          await books.findItem('partnership', ({ sk }) => sk.startsWith('TOTALS#')),
          plus('earnedPoints', 11),
        ),
      'points earned and ledger',
    ],
    [
      'a missing account',
      async () => books.damage(await books.accountItem(), () => undefined),
      'account of the ledger',
    ],
    [
      'a manual adjustment without its record',
      async () => {
        const entry = await books.findItem(
          'ledger',
          ({ pk }) => pk === `${partitions.ledger}${books.ada}#${books.world.demo.partner.id}`,
        );
        const uuid = '0190a200-0000-7000-8000-000000000001';
        const adjusted = {
          ...entry,
          sk: `${uuid}#MANUAL_ADJUSTMENT`,
          transactionUuid: uuid,
          kind: 'MANUAL_ADJUSTMENT',
          points: 0,
        };
        return books.putNew({ ...adjusted, campaign: null });
      },
      'ledger entries',
    ],
    [
      'a payout without its entry',
      async () =>
        books.putNew({
          pk: `${partitions.payout}0190a200`,
          sk: `PAYOUT#${books.ada}`,
          userId: books.ada,
          partnerId: 2,
          cents: 5,
          isReturned: false,
        }),
      'ledger entries of payouts',
    ],
    [
      'an entry that cannot be read',
      async () =>
        books.damage(await books.findItem('ledger', ({ kind, points }) => kind === 'EARN' && points !== 0), (item) =>
          without(item, 'points'),
        ),
      'attributes and schema',
    ],
    [
      'an account that cannot be read',
      async () => books.damage(await books.accountItem(), (item) => ({ ...item, heldPoints: 'many' })),
      'attributes and schema',
    ],
    [
      'a transaction that cannot be read',
      async () =>
        books.damage(await books.findItem('transaction', ({ sk }) => sk === 'TRANSACTION'), (item) => ({
          ...item,
          state: 'LOST',
        })),
      'attributes and schema',
    ],
    [
      'a purchase that cannot be read',
      async () => books.damage(await books.findItem('countedSpend'), (item) => ({ ...item, countedCents: 'many' })),
      'attributes and schema',
    ],
    [
      'a transaction in a state that its kind does not have',
      async () =>
        books.damage(
          await books.findItem('transaction', ({ type, reverses }) => type === 'REDEEM' && !reverses),
          (item) => ({
            ...item,
            state: 'HELD',
          }),
        ),
      'attributes and schema',
    ],
    [
      'a transaction with an impossible user id',
      async () =>
        books.damage(await books.findItem('transaction', ({ sk }) => sk === 'TRANSACTION'), (item) => ({
          ...item,
          userId: 1.5,
        })),
      'attributes and schema',
    ],
    [
      'a mark of a merged user that cannot be read',
      async () =>
        books.putNew({ pk: `${partitions.user}999999`, sk: 'MERGED', userId: 999_999, mergedInto: 'somebody' }),
      'attributes and schema',
    ],
  ];
  it.each(violations)('finds %s, as the command reconcile does', async (_, break_, what) => {
    const repair = await break_();
    // Counters may lack what was counted in the last minutes. The clock is ahead, so that no entry is that young.
    const laterMs = 3 * timingMs.countingWrite;
    const daily = await withSmallShelves(() => books.reconcileDaily({ itemsPerPage: 100, laterMs }));
    const byHand = await withSmallShelves(() => books.reconcileByHand());
    await repair();

    expect(daily.found.join()).toContain(what);
    expect(daily.result).toMatchObject({ mismatches: daily.found.length, moving: 0 });
    const texts = byHand.map((text) => text.split(': ').slice(0, 2).join(': '));
    expect(texts.sort()).toEqual([...daily.found].sort());
  });

  it('finds a purchase whose refund was lost, an hour later, as the command reconcile does', async () => {
    const order = await processedOrder(books.world, books.payee);
    await confirmAll(books.world);
    await countStream(books.world);
    await postRefund(books.world, order.uuid, { refund_external_id: 'lost', amount: 5_400 });
    const laterMs = timingMs.toleratedPending + 60_000;
    const young = await books.reconcileDaily();
    const [daily, byHand] = [
      await withSmallShelves(() => books.reconcileDaily({ laterMs })),
      await books.reconcileByHand(laterMs),
    ];
    const old = await books.reconcileDaily({ laterMs: 10 * dayMs });
    await settleRefund({ entityId: order.uuid }, books.world.platform);
    await confirmAll(books.world);

    const subject = `purchase ${order.externalOrderId} of merchant ${books.world.demo.merchant.id}`;
    expect(young.found).toEqual([]);
    for (const found of [daily.found, old.found]) {
      expect(found.filter((text) => text.startsWith('purchase '))).toEqual([
        expect.stringMatching(`^${subject}: points of transaction \\d+ .EARN., bought 10000 cents, 5000 of them gone$`),
        `${subject}: money of its head (cents)`,
      ]);
    }
    expect(byHand).toHaveLength(2);
    expect((await books.reconcileDaily({ laterMs })).found).toEqual([]);
  });

  const spentOn = (item: Item) =>
    Reflect.get(Object(item.spent), 'externalTransactionId') ?? item.externalTransactionId ?? item.externalOrderId;
  const isEarning = ({ kind, state, orderUuid, rewards }: Item) =>
    kind === 'PURCHASE' && state === 'SPENT' && !orderUuid && JSON.stringify(rewards).includes('EARN');

  it.each([
    ['claim', isEarning],
    ['order', ({ state }: Item) => state === 'PROCESSED'],
    ['payment', ({ spent }: Item) => spent !== undefined],
  ] as const)('finds, some hours later, a %s that was never counted as spend', async (partition, isSource) => {
    const external = spentOn(await books.findItem(partition, isSource));
    const purchase = await books.findItem('countedSpend', (item) => item.externalTransactionId === external);
    const repair = await books.damage(purchase, () => undefined);
    const laterMs = 2 * timingMs.uncountedSpend;
    const young = await books.reconcileDaily();
    const [daily, byHand] = [await books.reconcileDaily({ laterMs }), await books.reconcileByHand(laterMs)];
    await repair();

    const text = expect.stringMatching(
      new RegExp(
        `^purchase ${external} of merchant ${books.world.demo.merchant.id} \\([A-Z]+#.+ [A-Z].+\\): counted as spend`,
      ),
    );
    expect(young.found).not.toContainEqual(text);
    expect(daily.found).toContainEqual(text);
    expect(byHand).toContainEqual(text);
  });

  it('logs a mismatch without the member’s data', async () => {
    const repair = await books.addPoints(5);
    const { lines } = await books.reconcileDaily();
    await repair();

    const subject = `member ${books.ada} in program ${books.world.demo.partner.id}`;
    const numbers = { found: expect.any(Number), expected: expect.any(Number) };
    expect(lines.filter(([, text]) => text === 'books.mismatch')).toEqual([
      ['error', 'books.mismatch', { subject, what: 'balance and ledger', ...numbers }],
    ]);
  });

  it('finds no mismatch in the spend of a purchase with an unknown amount', async () => {
    const { spend } = withStores(books.world.platform, countChangesStores);
    const { table } = books.world.platform;
    const key = { merchantId: books.world.demo.merchant.id, externalTransactionId: 'of-an-early-release' };
    const item = { ...keyOfPurchase(purchaseName(key)) };
    const counter = await books.findItem('user', ({ sk }) => sk.startsWith('SPEND#'));
    const repair = await books.damage(counter, plus('spentCents', 700));
    await table.write({ kind: 'put', item });
    const before = await books.reconcileDaily();
    await spend.settle(key, (purchase) => withPaid(purchase, 'a redemption', 100));
    const [after, byHand] = [await books.reconcileDaily(), await books.reconcileByHand()];
    await table.write({ kind: 'delete', key: item });
    await repair();

    expect([before.found, after.found, byHand]).toEqual([[], [], []]);
  });

  it('scans every attribute that an invariant reads', async () => {
    const built = new BookBuilder();
    for await (const item of scanTable(books.world.table, bookPartitions)) built.add(item);
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
    const claims = watched(built.claims);
    const entries = watched(built.entries);
    claims.forEach(spendOfClaim);
    sumCounted(
      entries.map((entry) => ({ entry, countedAt: undefined })),
      { from: '', to: '', toleratedMs: 0 },
      new Date(),
    );
    findMismatches(
      {
        ...{ claims, entries, usage: watched(built.usage), velocity: watched(built.velocity) },
        ...{ memberships: watched(built.memberships), transactions: watched(built.transactions) },
        ...{ adjustments: watched(built.adjustments), payouts: watched(built.payouts) },
        spending: {
          ...built.spending,
          totals: watched(built.spending.totals),
          purchases: watched(built.spending.purchases),
        },
        ...{ programAccounts: built.programAccounts, merges: new Map() },
      },
      new Date(),
    );
    // `batchUuid` comes from the key. No invariant depends on `posting`. The other three are read only because a check
    // copies an account.
    const others = ['batchUuid', 'posting', 'firstName', 'lastName', 'statusTierId'];
    const scanned = new Set([...bookAttributes, ...others]);
    expect(read.size).toBeGreaterThan(40);
    expect([...read].filter((name) => !scanned.has(name))).toEqual([]);
  });

  /** Returns copies of an item. In each copy, one attribute of the books, or one field of an attribute, is wrong. */
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
    const built = new BookBuilder();
    built.add(item);
    findMismatches(built, new Date());
    const entries = built.entries.map((entry) => ({ entry, countedAt: undefined }));
    sumCounted(entries, { from: '', to: '', toleratedMs: 0 }, new Date());
  }

  it('throws no error, whichever attribute of an item is damaged', async () => {
    const kinds = new Map<string, Item>();
    for await (const item of scanTable(books.world.table, bookPartitions)) {
      const { pk, sk, type, state, kind, reverses } = item;
      kinds.set([pk.split('#')[0], sk.replace(/[^A-Z_].*/, ''), type, state, kind, !reverses].join(), item);
    }
    expect(kinds.size).toBeGreaterThan(15);
    for (const damaged of [...kinds.values()].flatMap(damagesOf)) {
      expect(() => compareOnly(damaged), JSON.stringify(damaged)).not.toThrow();
    }
  });
});
