import { beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { dayMs, maximumCount } from '../../../shared/contracts/limits.ts';
import { partitions } from '../../../shared/contracts/table.ts';
import { reconcileDaily, reconcileDailyStores } from '../../../shared/operations/reconcile/reconcile-daily.ts';
import { withStores } from '../../../shared/runtime/runtime.ts';
import type { ReconciliationProgress } from '../../../shared/store/ledger/reconciliations.ts';
import { membershipKey, mergedMark } from '../../../shared/store/member/members.ts';
import type { Item, Key } from '../../../shared/store/table/table-client.ts';
import { aMembership } from '../../domain/fixtures.ts';
import { countStream } from '../../support/count-stream.ts';
import { plus, ReconciledBooks, type Walk, withSmallShelves } from '../../support/reconciled-books.ts';
import { newShopper } from '../../support/shoppers.ts';
import { issueToken } from '../../support/story.ts';
import { commandLineOf } from '../../tools/admin/command-line.ts';

// A merge waits for the end of requests that began before. In these tests they have ended.
vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof import('node:timers/promises')>();
  return { ...real, setTimeout: (ms: number) => (ms > 5_000 ? Promise.resolve() : real.setTimeout(ms)) };
});

/** The runs of the daily reconciliation: their ends and crashes, and changes during them. */

let books: ReconciledBooks;

beforeAll(async () => {
  books = await ReconciledBooks.make();
});

describe('reconcile-daily', () => {
  it('goes on where the last run ended or died, and finds a wrong balance', async () => {
    const repair = await books.addPoints(5);
    let deaths = 0;
    const during = async (page: number) => {
      if (page % 3 !== 0 || deaths === 4) return;
      deaths += 1;
      throw new Error('the worker dies');
    };
    const walk = { itemsPerPage: 30, pagesPerRun: 2, isSameDay: true };
    await books.forget();
    let finished: Awaited<ReturnType<ReconciledBooks['reconcileDaily']>> | undefined;
    while (!finished) {
      try {
        finished = await withSmallShelves(() => books.reconcileDaily({ ...walk, during }));
      } catch (error) {
        expect(String(error)).toContain('the worker dies');
      }
    }
    await repair();

    expect(deaths).toBe(4);
    expect(finished.runs).toBeGreaterThan(1);
    expect(finished.result).toMatchObject({ mismatches: 1, accounts: 4 });
    expect(finished.found).toEqual([
      `member ${books.ada} in program ${books.world.demo.partner.id}: balance and ledger`,
    ]);
  });

  it('raises no false alarm while purchases are made', async () => {
    const busy: Promise<unknown>[] = [];
    const during = async (page: number) => {
      if (page % 4 !== 1 || busy.length >= 16) return;
      busy.push(books.buy(busy.length % 4 ? 'earn' : 'redeem', 20).then(() => countStream(books.world)));
      // Each new token for the same purchase replaces the earlier token, whose held points are released.
      busy.push(
        issueToken(books.world, 'replaced', { campaignId: books.world.demo.campaigns.redeem, amount: 1 + (page % 3) }),
      );
    };
    const one = await books.reconcileDaily({ itemsPerPage: 60, during });
    await Promise.all(busy);
    const many = await withSmallShelves(() => books.reconcileDaily({ itemsPerPage: 60, during }));
    await Promise.all(busy);

    expect([one.found, many.found]).toEqual([[], []]);
  });

  it('compares a merged and the kept member as one member', async () => {
    const keep = await newShopper(books.world, 100);
    const ids = [String(keep.id), String(books.person.id)];
    const merging = ['--reason', 'Request G-13', '--confirm', String(books.person.id)];
    const during = async (page: number) => {
      if (page !== 5) return;
      const merged = await commandLineOf(books.world.table).script('member', 'merge', ...ids, ...merging);
      expect([merged.status, merged.err]).toEqual([0, '']);
    };
    const walk = (more: Walk = {}) => withSmallShelves(() => books.reconcileDaily({ itemsPerPage: 40, ...more }));
    expect((await walk({ during })).result).toMatchObject({ mismatches: 0, moving: 0 });
    expect((await walk()).result).toMatchObject({ mismatches: 0, moving: 0 });

    expect(await withSmallShelves(() => books.reconcileByHand())).toEqual([]);

    const isMoved = ({ userId, state, sk, type }: Item) =>
      userId === keep.id && sk === 'TRANSACTION' && state === 'COMPLETED' && type === 'EARN';
    const repair = await books.damage(await books.findItem('transaction', isMoved), plus('points', 1));
    const { result, found } = await walk();
    const byHand = await withSmallShelves(() => books.reconcileByHand());
    const { script } = commandLineOf(books.world.table);
    const own = await withSmallShelves(() => script('reconcile', '--member', String(keep.id)));
    await repair();
    expect(own.json.differences).toHaveLength(found.length);
    expect(found.join()).toContain('points in the ledger');
    expect(byHand).toHaveLength(found.length);
    expect(result).toMatchObject({ moving: 0 });
  });

  it('begins again after a pause of two days', async () => {
    await books.forget();
    const dies = async () => Promise.reject(new Error('the worker dies'));
    await expect(books.reconcileDaily({ isSameDay: true, during: dies })).rejects.toThrow('the worker dies');
    const { reconciliations } = withStores(books.world.platform, reconcileDailyStores);
    const begun = await reconciliations.find();
    const { result } = await books.reconcileDaily({ isSameDay: true, laterMs: 2 * dayMs });
    expect(result?.startedAt).not.toBe(begun?.startedAt);
    expect(result).toMatchObject({ accounts: expect.any(Number) });
  });

  it('finishes although the marks of merged users lead in a circle', async () => {
    const marks = [999_998, 999_999].map((userId) => ({
      ...{ pk: `${partitions.user}${userId}`, sk: mergedMark, userId, mergedInto: 1_999_997 - userId },
      ...{ userUuid: 'one', mergedAt: '2026-11-23T10:00:00Z', isMoving: false },
    }));
    for (const mark of marks) await books.putNew(mark);
    const first = await books.reconcileDaily();
    const next = await books.reconcileDaily({ isSameDay: true, laterMs: dayMs });
    for (const { pk, sk } of marks) await books.world.platform.table.write({ kind: 'delete', key: { pk, sk } });

    expect([first.found, next.found]).toEqual([[], []]);
    expect(next.result).toMatchObject({ mismatches: 0 });
  });

  it('counts accounts and mismatches once although the books outgrow their shelves during the run', async () => {
    const repair = await books.addPoints(5);
    const { reconciledItems } = maximumCount;
    let pages = 0;
    const first = await books.reconcileDaily();
    // Makes the shelves smaller before the second scan. The effect is the same as if the table had grown.
    const during = async () => {
      pages += 1;
      if (pages === first.pages / 2 + 1) Object.assign(maximumCount, { reconciledItems: 0.5 });
    };
    const { result, found } = await books
      .reconcileDaily({ during })
      .finally(() => Object.assign(maximumCount, { reconciledItems }));
    await repair();

    expect(found).toEqual(first.found);
    expect(result).toMatchObject({ accounts: first.result?.accounts, mismatches: first.found.length });
  });

  it('lets only one of two simultaneous runs go on', async () => {
    await books.forget();
    const results = await Promise.all([
      books.reconcileDaily({ isSameDay: true }),
      books.reconcileDaily({ isSameDay: true }),
    ]);
    expect(results.filter(({ result }) => result !== undefined)).toHaveLength(1);
  });

  it('holds one shelf of books and one page in memory, also for a large table', async () => {
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
        unread: {},
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
      check: async () => [],
      pause: async () => {},
    };
    const deps = { ...withStores(books.world.platform, reconcileDailyStores), ...ports, now: () => new Date(0) };
    const result = await withSmallShelves(() => reconcileDaily(deps), 2_000);

    expect(result).toMatchObject({ accounts: pageCount * accountsPerPage, mismatches: 0, moving: 0 });
    expect(sizes.put).toBeLessThanOrEqual(2_000 + 2 * accountsPerPage);
    expect(sizes.read).toBeLessThanOrEqual(2 * 2_000);
    expect(sizes.progress).toBeLessThan(10_000);
  });
});
