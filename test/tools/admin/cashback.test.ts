import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../../../shared/domain/ledger/ledger-entry.ts';
import { findPayees, unpaidCents } from '../../../shared/domain/ledger/payout.ts';
import {
  continueExport,
  exportCashback,
  loadBatch,
  markPaid,
  returnPayouts,
} from '../../../shared/operations/ledger/pay-cashback.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { payoutBatchWrites } from '../../../shared/store/ledger/payouts.ts';
import { readLedger } from '../../../tools/admin/reconcile/read-books.ts';
import { awardCashback } from '../../support/cashback.ts';
import { fc } from '../../support/fast-check.ts';
import { reconcile } from '../../support/reconcile.ts';
import { newShopper, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';
import { commandLineOf, temporaryFile } from './command-line.ts';

let world: World;
let platform: Platform;
let admin: ReturnType<typeof commandLineOf>;
beforeAll(async () => {
  world = await makeWorld();
  ({ platform } = world);
  admin = commandLineOf(world.table);
});

const demoName = 'Corner Coffee × Skyline Miles';
const readAll = () => readLedger(world.table);

const accountOf = async ({ id }: Shopper) => platform.members.findMembership(id, world.demo.partner.id);
const unpaidOf = async ({ id }: Shopper) =>
  unpaidCents(await platform.ledger.entriesOf(id, world.demo.partner.id), world.demo.partnership.uuid);
async function newBatch() {
  const exported = await exportCashback({ partnership: demoName, minimumCents: 1, readLedger: readAll }, platform);
  if (!exported) throw new Error('there is nothing to pay');
  return exported;
}
const amountIn = async (uuid: string, { id }: Shopper) =>
  (await loadBatch(uuid, platform)).payouts.find(({ userId }) => userId === id)?.cents;

describe('the command cashback', () => {
  it('`export` writes the unpaid cashback once', async () => {
    const [one, other] = [await newShopper(world), await newShopper(world)];
    await awardCashback(world, one, 1_250);
    await awardCashback(world, other, 300);
    const file = temporaryFile('payouts.csv', '');
    const { status, json } = await admin.script(`cashback export "${demoName}" --minimum 5 --file ${file}`);

    expect(status).toBe(0);
    expect(json.batch).toMatchObject({ state: 'EXPORTED', totalCents: 1_250, payouts: 1 });
    expect(readFileSync(file, 'utf8').split('\n')).toEqual([
      'payment_id,member_id,member_number,first_name,last_name,amount,currency',
      `${json.batch.uuid}-${one.id},${one.id},${one.externalId},Mary,Somerville,12.50,USD`,
      '',
    ]);
    expect([await unpaidOf(one), await unpaidOf(other)]).toEqual([0, 300]);
    const { uuid } = json.batch;
    const paid = () => admin.script(`cashback mark-paid ${uuid} --reference SEPA-1`);
    expect((await paid()).json.batch).toMatchObject({ state: 'PAID', reference: 'SEPA-1' });
    expect((await paid()).status).toBe(0);
    expect((await admin.script(`cashback mark-paid ${uuid} --reference SEPA-2`)).err).toContain(
      'is PAID, with reference SEPA-1',
    );
    expect((await admin.script(`cashback export --batch ${uuid}`)).json.csv).toBe(readFileSync(file, 'utf8'));
    const next = await admin.script(`cashback export "${demoName}"`);
    expect(next.json.payees).toMatchObject([{ userId: other.id, cents: 300, unpaidCents: 0 }]);
    expect((await admin.read(`cashback list "${demoName}"`)).out).toContain(uuid);
  });

  it('`return` makes exported or paid cashback unpaid again', async () => {
    const shopper = await newShopper(world);
    await awardCashback(world, shopper, 700);
    const { batch } = await newBatch();
    const returned = await admin.script(`cashback return ${batch.uuid}`);
    expect(returned.json.batch).toMatchObject({ state: 'RETURNED', totalCents: 0 });
    expect(await unpaidOf(shopper)).toBe(700);
    expect((await admin.script(`cashback mark-paid ${batch.uuid} --reference x`)).status).toBe(1);

    const second = (await newBatch()).batch;
    await markPaid({ batch: second.uuid, reference: 'SEPA-3' }, platform);
    expect((await admin.script(`cashback return ${second.uuid}`)).err).toContain('with --member');
    const member = ['--member', String(shopper.id)];
    for (const _ of [1, 2]) expect((await admin.script(`cashback return ${second.uuid}`, ...member)).status).toBe(0);
    expect(await unpaidOf(shopper)).toBe(700);
    expect((await accountOf(shopper))?.paidOutCents).toBe(0);
    await returnPayouts({ batch: (await newBatch()).batch.uuid }, platform);
  });

  it('`reconcile` reports a returned payout that the ledger shows as paid', async () => {
    const shopper = await newShopper(world);
    await awardCashback(world, shopper, 640);
    const { batch } = await newBatch();
    const key = { pk: `PAYOUT#${batch.uuid}`, sk: `PAYOUT#${shopper.id}` };
    const mark = (isReturned: boolean) =>
      platform.table.write({ kind: 'update', key, changes: { set: { isReturned } }, when: [] });
    await mark(true);
    const found = (await reconcile(world.table)).filter((text) => text.includes(batch.uuid));
    await mark(false);

    const name = `payout of batch ${batch.uuid} to member ${shopper.id} in program ${world.demo.partner.id}`;
    expect(found).toEqual([
      `${name}: ledger entries of payouts: 1 is not 2`,
      `${name}: payouts and ledger (cents): 0 is not 640`,
    ]);
  });

  it('`export` pays less after a reversal of paid cashback', async () => {
    const shopper = await newShopper(world);
    await awardCashback(world, shopper, 500);
    await newBatch();
    await awardCashback(world, shopper, -200);
    expect(await unpaidOf(shopper)).toBe(-200);
    await awardCashback(world, await newShopper(world), 100);
    expect(await amountIn((await newBatch()).batch.uuid, shopper)).toBeUndefined();
    await awardCashback(world, shopper, 350);
    expect(await amountIn((await newBatch()).batch.uuid, shopper)).toBe(150);
  });

  it('`export` writes nothing when there is nothing to pay', async () => {
    const shopper = await newShopper(world);
    await awardCashback(world, shopper, 90);
    await newBatch();
    const batches = async () => (await admin.script(`cashback list "${demoName}"`)).json.batches.length;
    const before = await batches();
    const path = temporaryFile('payouts.csv', 'untouched');
    const { status, out } = await admin.read(`cashback export "${demoName}" --file ${path}`);

    expect([status, out]).toEqual([
      0,
      'There is nothing to pay: no member has unpaid cashback of $0.01 or more. Nothing was written.\n',
    ]);
    expect((await admin.script(`cashback export "${demoName}"`)).json).toEqual({
      batch: null,
      payees: [],
      skipped: [],
    });
    expect([await batches(), readFileSync(path, 'utf8')]).toEqual([before, 'untouched']);
  });

  it('`export` puts only the cashback of the named partnership into the batch', async () => {
    const shopper = await newShopper(world);
    await awardCashback(world, shopper, 100);
    await awardCashback(world, shopper, 900, '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e06');

    expect(await amountIn((await newBatch()).batch.uuid, shopper)).toBe(100);
  });

  it('`export` refuses to begin while an interrupted export has to be continued', async () => {
    const shopper = await newShopper(world);
    await awardCashback(world, shopper, 400);
    const [at, ids] = [platform.now().toISOString(), platform.nextIds()];
    const { uuid: partnershipUuid } = world.demo.partnership;
    const sides = { partnershipUuid, merchantId: world.demo.merchant.id, partnerId: world.demo.partner.id };
    const batch = { ...ids, ...sides, minimumCents: 1, state: 'OPEN', createdAt: at, updatedAt: at } as const;
    // Another operator begins the batch while the ledger is read.
    const begun = async () => {
      await platform.table.transact(payoutBatchWrites(batch));
      return readAll();
    };
    const wanted = { partnership: demoName, minimumCents: 1, readLedger: begun };
    const refusal = await exportCashback(wanted, platform).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ step: 'begin', batch: { uuid: ids.uuid } });

    const refused = await admin.script(`cashback export "${demoName}"`);
    expect(refused.err).toContain(`cashback export --batch ${ids.uuid}`);
    const runs = await Promise.allSettled([1, 2, 3].map(() => continueExport(ids.uuid, readAll, platform)));
    expect(runs.some(({ status }) => status === 'fulfilled')).toBe(true);
    await continueExport(ids.uuid, readAll, platform);
    expect(await amountIn(ids.uuid, shopper)).toBe(400);
    expect((await accountOf(shopper))?.paidOutCents).toBe(400);
  });

  it('pays no cent in two batches when changes run in parallel', async () => {
    const shoppers = await Promise.all([1, 2, 3].map(() => newShopper(world)));
    const kind = fc.constantFrom(...(['award', 'award', 'refund', 'export', 'return'] as const));
    const step = fc.record({ kind, who: fc.constantFrom(...shoppers), cents: fc.integer({ min: 1, max: 500 }) });
    let last: string | undefined;
    const acts = {
      award: ({ id }: { id: number }, cents: number) => awardCashback(world, { id }, cents),
      // awardCashback() refuses a refund of more cashback than was awarded.
      refund: ({ id }: { id: number }, cents: number) => awardCashback(world, { id }, 0 - cents).catch(() => undefined),
      return: () => last && returnPayouts({ batch: last }, platform).catch(() => undefined),
      export: async () => {
        last = (await newBatch().catch(() => undefined))?.batch.uuid ?? last;
      },
    };
    const standing = async (uuid: string, { id }: Shopper) =>
      (await loadBatch(uuid, platform)).payouts
        .filter(({ userId, isReturned }) => userId === id && !isReturned)
        .reduce((sum, { cents }) => sum + cents, 0);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { maxLength: 3 }), { maxLength: 4 }), async (rounds) => {
        for (const together of rounds) await Promise.all(together.map((one) => acts[one.kind](one.who, one.cents)));
        for (const shopper of shoppers) {
          const account = await accountOf(shopper);
          const batches = await platform.payouts.of(world.demo.partnership.uuid);
          const amounts = await Promise.all(batches.map(({ uuid }) => standing(uuid, shopper)));
          expect(account?.paidOutCents ?? 0).toBe(amounts.reduce((sum, cents) => sum + cents, 0));
          expect((account?.cashbackCents ?? 0) - (account?.paidOutCents ?? 0)).toBe(await unpaidOf(shopper));
        }
      }),
      { numRuns: 4 },
    );
    const wrong = (await reconcile(world.table)).filter((text) => text.includes('payouts'));
    expect(wrong).toEqual([]);
  });
});

describe('findPayees()', () => {
  const entry = (userId: number, more: Partial<LedgerEntry>): LedgerEntry => ({
    ...{ userId, partnerId: 2, transactionId: 1, transactionUuid: 'u', kind: 'EARN', points: 0, cashbackCents: 0 },
    campaign: { id: 1, partnershipUuid: 'p' },
    createdAt: '2026-11-01T00:00:00.000Z',
    ...more,
  });

  it('leaves out members whose unpaid cashback is below the minimum', () => {
    const entries = [
      entry(2, { cashbackCents: 500 }),
      entry(1, { cashbackCents: 500 }),
      entry(1, { kind: 'PAYOUT', campaign: null, payout: { partnershipUuid: 'p', cents: 1 } }),
    ];
    expect(findPayees(entries, { partnershipUuid: 'p', minimumCents: 500 })).toEqual([2]);
    expect(findPayees(entries, { partnershipUuid: 'p', minimumCents: 499 })).toEqual([1, 2]);
  });
});
