import { beforeAll, describe, expect, it } from 'vitest';
import { dayMs, timingMs } from '../../../shared/contracts/limits.ts';
import { partitions } from '../../../shared/contracts/table.ts';
import { reconcileDaily, reconcileDailyStores } from '../../../shared/operations/reconcile-daily.ts';
import { withStores } from '../../../shared/runtime/runtime.ts';
import { type BookKeys, KeyScan } from '../../../shared/store/ledger/reconciliations.ts';
import { membershipKey } from '../../../shared/store/member/members.ts';
import type { Key } from '../../../shared/store/table/table-client.ts';
import { aMembership } from '../../domain/fixtures.ts';
import { confirm } from '../../support/finalize.ts';
import { silentLog } from '../../support/silent-log.ts';
import { createTransaction } from '../../support/story.ts';
import { makeWorld, type World } from '../../support/world.ts';

let world: World;
/** Each test begins on another day, because the reconciliation runs once a day. */
let today = Date.now();

beforeAll(async () => {
  world = await makeWorld();
});

const ada = () => world.demo.members[0]?.id ?? 0;
const account = () => membershipKey(ada(), world.demo.partner.id);
const tamper = (availablePoints: number) =>
  world.platform.table.write({ kind: 'update', key: account(), changes: { add: { availablePoints } } });

/** Runs the reconciliation until it ends, and returns its result, the log, and how many runs it took. */
async function reconcileAll({ itemsPerPage = 10_000, pagesPerRun = 1_000, during = async (_page: number) => {} } = {}) {
  const { log, lines } = silentLog();
  const { documents, name } = world.table;
  const keys = new KeyScan(documents, name, itemsPerPage);
  let pages = 0;
  const scan = {
    after: async (position: Key | undefined): Promise<BookKeys> => {
      const page = await keys.after(position);
      pages += 1;
      await during(pages);
      return page;
    },
  };
  for (let runs = 1; runs < 1_000; runs += 1) {
    const base = pages;
    const now = () => new Date(today + (pages - base >= pagesPerRun ? timingMs.reconcileRun : 0));
    const deps = { ...withStores({ ...world.platform, log, now }, reconcileDailyStores), scan, pause: async () => {} };
    const result = await reconcileDaily(deps);
    if (result || runs > pages) return { result, lines, runs, pages };
  }
  throw new Error('the reconciliation never ends');
}

const nextDay = () => {
  today += dayMs;
};

describe('reconcile-daily', () => {
  it('finds nothing in consistent books, and runs once a day', async () => {
    const transaction = await createTransaction(world, { campaignId: world.demo.campaigns.earn, amount: 42.5 });
    await confirm(transaction, world.platform);
    await createTransaction(world, { campaignId: world.demo.campaigns.redeem, amount: 4 });

    const { result } = await reconcileAll();
    expect(result).toMatchObject({ mismatches: 0, moving: 0, accounts: 1, transactions: 2 });
    expect((await reconcileAll()).result).toBeUndefined();
    nextDay();
    expect((await reconcileAll()).result).toMatchObject({ mismatches: 0, transactions: 2 });
  });

  it('finds a balance that its ledger does not explain, and logs it without the member’s data', async () => {
    nextDay();
    await tamper(5);
    const { result, lines } = await reconcileAll();
    await tamper(-5);

    expect(result).toMatchObject({ mismatches: 1 });
    const subject = `member ${ada()} in program ${world.demo.partner.id}`;
    expect(lines.filter(([, message]) => message === 'books.mismatch')).toEqual([
      [
        'error',
        'books.mismatch',
        { subject, what: 'balance and ledger', found: expect.any(Number), expected: expect.any(Number) },
      ],
    ]);
  });

  it('finds a completed transaction without its ledger entry', async () => {
    nextDay();
    const transaction = await createTransaction(world, { campaignId: world.demo.campaigns.earn, amount: 10 });
    await confirm(transaction, world.platform);
    const { platform, demo } = world;
    const entries = await platform.ledger.entriesOf(ada(), demo.partner.id);
    const entry = entries.find(({ transactionId }) => transactionId === transaction.id);
    const key = {
      pk: `${partitions.ledger}${ada()}#${demo.partner.id}`,
      sk: `${entry?.transactionUuid}#${entry?.kind}`,
    };
    const item = await platform.table.get(key);
    await platform.table.write({ kind: 'delete', key });
    const { lines } = await reconcileAll();
    if (item) await platform.table.write({ kind: 'put', item });

    const found = lines.map(([, , data]) => data?.what);
    expect(found).toContain('ledger entries');
    expect(found).toContain('balance and ledger');
  });

  it('goes on where the last run ended', async () => {
    nextDay();
    const { result, runs, pages } = await reconcileAll({ itemsPerPage: 20, pagesPerRun: 2 });
    expect(pages).toBeGreaterThan(4);
    expect(runs).toBeGreaterThanOrEqual(Math.floor(pages / 2));
    expect(result).toMatchObject({ mismatches: 0, transactions: 3 });
  });

  it('goes on after a run that died in the middle of a page', async () => {
    nextDay();
    const dies = async (page: number) => {
      if (page === 3) throw new Error('the worker dies');
    };
    await expect(reconcileAll({ itemsPerPage: 20, during: dies })).rejects.toThrow('the worker dies');
    expect((await reconcileAll({ itemsPerPage: 20 })).result).toMatchObject({ mismatches: 0, transactions: 3 });
  });

  it('raises no false alarm while purchases are made', async () => {
    nextDay();
    const buy = async () => {
      const transaction = await createTransaction(world, { campaignId: world.demo.campaigns.earn, amount: 1 });
      await confirm(transaction, world.platform);
    };
    const purchases: Promise<void>[] = [];
    const during = async (page: number) => {
      if (page < 6) purchases.push(buy());
    };
    const { result } = await reconcileAll({ itemsPerPage: 30, during });
    await Promise.all(purchases);
    expect(result).toMatchObject({ mismatches: 0 });
  });

  it('lets only one of two simultaneous runs go on', async () => {
    nextDay();
    const results = await Promise.all([reconcileAll(), reconcileAll()]);
    expect(results.filter(({ result }) => result !== undefined)).toHaveLength(1);
  });

  it('keeps few accounts in memory at a time, whatever the size of the table', async () => {
    const [pageCount, accountsPerPage] = [200, 100];
    let [held, most, compared] = [0, 0, 0];
    const stored: unknown[] = [];
    const ports = {
      scan: {
        after: async (position: Key | undefined): Promise<BookKeys> => {
          const page = Number(position?.pk ?? 0);
          const keys = Array.from({ length: accountsPerPage }, (_, index) => {
            return { kind: 'account', userId: page * accountsPerPage + index + 1, partnerId: 2 } as const;
          });
          return page + 1 < pageCount ? { keys, position: { pk: String(page + 1), sk: '' } } : { keys };
        },
      },
      members: {
        findMembership: async (userId: number) => {
          held += 1;
          most = Math.max(most, held);
          return aMembership({ userId, availablePoints: 0 });
        },
      },
      ledger: {
        entriesOf: async () => {
          await Promise.resolve();
          held -= 1;
          compared += 1;
          return [];
        },
        entriesAbout: async () => [],
      },
      reconciliations: {
        find: async () => undefined,
        save: async (after: unknown) => stored.push(JSON.stringify(after).length) > 0,
      },
      pause: async () => {},
    };
    const { platform } = world;
    const result = await reconcileDaily({ ...platform, now: () => new Date(today), ...ports });

    expect(result).toMatchObject({ accounts: 20_000, mismatches: 0 });
    expect(compared).toBe(20_000);
    expect(most).toBeLessThanOrEqual(8);
    expect(Math.max(...stored.map(Number))).toBeLessThan(300);
  });
});
