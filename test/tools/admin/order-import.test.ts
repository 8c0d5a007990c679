import { describe, expect, it } from 'vitest';
import { newShopper, type Shopper } from '../../support/shoppers.ts';
import { admin, useWorld, world } from './admin-world.ts';
import { temporaryFile } from './command-line.ts';

let shopper: Shopper;

useWorld(async () => {
  shopper = await newShopper(world);
});

const head = 'order_external_id,merchant_external_id,transaction_total,transaction_subtotal,transaction_discount';
const importOf = (rows: readonly string[], ...options: string[]) =>
  admin.script('order import --merchant 1', temporaryFile('orders.csv', [head, ...rows].join('\n')), ...options);
const orderOf = (externalOrderId: string) => world.platform.orders.findByExternalId({ merchantId: 1, externalOrderId });

describe('the command order import', () => {
  it('checks in a dry run, then records each order once', async () => {
    const rows = [`one,${shopper.externalId},4250,3900,100`, `two,${shopper.externalId},1000,900,`];
    const dry = await importOf(rows, '--dry-run');
    expect(dry.json).toMatchObject({ dry_run: true, created: 2, faults: [] });
    expect(await orderOf('one')).toBeUndefined();

    expect((await importOf(rows)).json).toMatchObject({ created: 2, unchanged: 0 });
    expect((await importOf(rows)).json).toMatchObject({ created: 0, unchanged: 2 });
    expect(await orderOf('one')).toMatchObject({
      userId: shopper.id,
      ...{ totalCents: 4_250, subtotalCents: 3_900, discountCents: 100, state: 'PENDING' },
    });
    const auditOf = async (...more: string[]): Promise<{ command: string; changes: number }[]> => {
      const { entries } = (await admin.script('audit list', ...more)).json;
      return entries.filter(({ command }: { command: string }) => command === 'order import');
    };
    expect(await auditOf()).toMatchObject([{ changes: 2 }]);
    expect((await admin.read('audit list')).out).toMatch(/order import +2 changes; last: /);
    expect(await auditOf('--all')).toMatchObject([{ changes: 1 }, { changes: 1 }]);
  });

  it('reports rows that cannot be recorded, and records the others', async () => {
    await importOf([`known,${shopper.externalId},500,500,`]);
    const { status, json } = await importOf([
      `known,${shopper.externalId},900,900,`,
      'stranger,nobody-at-all,500,500,',
      `discounted,${shopper.externalId},500,500,501`,
      `fine,${shopper.externalId},500,500,`,
    ]);

    expect(status).toBe(1);
    expect(json).toMatchObject({ created: 1, faults: [{ line: 2 }, { line: 3 }, { line: 4 }] });
    expect(json.faults.map(({ message }: { message: string }) => message)).toEqual([
      expect.stringContaining('has an order known already'),
      expect.stringContaining('has no customer nobody-at-all'),
      expect.stringContaining('is more than the subtotal'),
    ]);
    expect(await orderOf('fine')).toBeDefined();
  });

  it('reports all faults of a row in one message', async () => {
    const { status, json } = await importOf([
      `bad,,4.5,100,`,
      `x,${shopper.externalId},0,,`,
      `short,${shopper.externalId},1`,
      `unknown,nobody-at-all,1,1,`,
      `ok,${shopper.externalId},1,1,`,
    ]);

    expect(status).toBe(1);
    expect(json).toMatchObject({ created: 1 });
    expect(json.faults).toEqual([
      { line: 2, message: 'transaction_total: has to be a whole number; needs merchant_external_id or user_id' },
      { line: 3, message: 'transaction_total: has to be at least 1; transaction_subtotal: is missing' },
      { line: 4, message: 'has 3 cells, and the first line names 5 columns' },
      { line: 5, message: expect.stringContaining('has no customer nobody-at-all') },
    ]);
    expect(await orderOf('ok')).toBeDefined();
  });

  it.each([
    ['an empty file', '', 'is empty: its first line has to name the columns'],
    ['a column without a name', 'order_external_id,,x', 'has to name each column once, not “”'],
    ['a repeated column', 'x,order_external_id,x', 'has to name each column once, not “x”'],
    ['a quote that does not end', 'x,y\n1,2\n"1,2', 'is not CSV: line 3 begins a quote that does not end; a cell'],
    ['a quote inside a cell', 'x,y\n"1 "2,3', 'is not CSV: line 2 has a quote in the wrong place; a cell'],
  ])('refuses %s', async (_, content, message) => {
    const path = temporaryFile('orders.csv', content);
    const { status, err } = await admin.read(`order import ${path} --merchant "Corner Coffee"`);
    expect(status).toBe(1);
    expect(err).toContain(message);
  });

  it('records an order once in two parallel imports', async () => {
    const rows = [`raced,${shopper.externalId},700,700,`];
    const both = await Promise.all([importOf(rows), importOf(rows)]);
    const created = both.reduce((sum, { json }) => sum + json.created, 0);

    expect(created).toBe(1);
  });
});
