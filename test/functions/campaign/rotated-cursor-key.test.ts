import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { contract } from '../../../functions/campaign/list-campaigns/contract.ts';
import { handler } from '../../../functions/campaign/list-campaigns/handler.ts';
import { call } from '../../support/call.ts';
import { makeWorld, type World } from '../../support/world.ts';
import { commandLineOf } from '../../tools/admin/command-line.ts';

/** An operator rotates the key of cursors, while functions that have read the earlier key keep running. */

const minuteMs = 60_000;
let world: World;
let admin: ReturnType<typeof commandLineOf>;
let nowMs = Date.parse('2026-11-21T10:00:00Z');
beforeAll(async () => {
  world = await makeWorld();
  admin = commandLineOf(world.table);
});
beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: nowMs }));
afterEach(() => vi.useRealTimers());

function pass(ms: number): void {
  nowMs += ms;
  vi.setSystemTime(nowMs);
}

/** A function that starts now, with nothing in its memory. */
async function startFunction(): Promise<typeof handler> {
  vi.resetModules();
  return (await import('../../../functions/campaign/list-campaigns/handler.ts')).handler;
}

/** Returns the page at a cursor, and the cursor of the next page. Without a cursor, returns the first of two pages. */
async function page(cursor?: string, running = handler) {
  const query = { campaign_types: '1,2', limit: '1', ...(cursor !== undefined && { cursor }) };
  const { status, body } = await call(running, contract, {
    query,
    headers: { 'x-api-key': world.demo.merchant.apiKey },
  });
  return { status, body, id: body.data?.campaigns[0].id, next: body.cursor?.next };
}

describe('a cursor', () => {
  it('leads to the next page after its key was rotated', async () => {
    const { campaigns } = world.demo;
    const first = await page();
    expect(first.id).toBe(campaigns.redeem);
    await admin.script('platform-key', 'rotate', 'cursor');
    const fresh = await startFunction();

    for (const minutes of [0, 4, 1, 5, 1, 24 * 60 - 12]) {
      pass(minutes * minuteMs);
      for (const [maker, opener] of [
        [handler, fresh],
        [fresh, handler],
      ] as const) {
        expect((await page(first.next, opener)).id).toBe(campaigns.earn);
        const made = (await page(undefined, maker)).next;
        expect(await page(made, opener)).toMatchObject({ status: 200, id: campaigns.earn });
      }
    }
  });

  it('is refused with 400 invalid_request after its key was retired', async () => {
    pass(2 * 24 * 60 * minuteMs);
    const first = await page();
    await admin.script('platform-key', 'rotate', 'cursor');
    expect((await admin.script('platform-key', 'retire', 'cursor')).status).toBe(0);
    const fresh = await startFunction();
    pass(5 * minuteMs);

    for (const running of [handler, fresh]) {
      expect(await page(first.next, running)).toMatchObject({
        status: 400,
        body: { error: 'invalid_request', errors: [expect.objectContaining({ code: 'invalid_cursor' })] },
      });
      const again = await page(undefined, running);
      expect((await page(again.next, running)).id).toBe(world.demo.campaigns.earn);
    }
  });
});

describe('the command `platform-key`', () => {
  const secretsIn = async () => {
    const { secret, next } = (await world.platform.platformKeys.find('cursor')) ?? expect.unreachable();
    return next ? [secret, next.secret] : [secret];
  };

  it('lists every key with its state, and shows no secret', async () => {
    pass(2 * 24 * 60 * minuteMs);
    await admin.script('platform-key', 'rotate', 'cursor');
    const { json, out } = await admin.script('platform-key', 'list');
    const text = (await admin.read('platform-key', 'list')).out;

    expect(json.keys).toEqual([
      { purpose: 'cursor', createdAt: expect.any(String), next: expect.any(Object) },
      { purpose: 'login', createdAt: null },
      { purpose: 'payment-emails', createdAt: null },
    ]);
    expect(text).toMatch(
      /cursor +2026-11-2\d .* UTC {2}in use until .* UTC, then the new one; the earlier one is valid/,
    );
    expect(text).toMatch(/payment-emails +- +not used yet/);
    for (const secret of await secretsIn()) expect(out + text).not.toContain(secret);
    pass(10 * minuteMs);
    expect((await admin.read('platform-key', 'list')).out).toContain('UTC  in use; the earlier one is valid until');
    pass(25 * 60 * minuteMs);
    expect((await admin.read('platform-key', 'list')).out).toMatch(/cursor +\S+ \S+ UTC {2}in use\n/);
  });

  it('refuses a second `rotate`, and `retire` without an earlier key', async () => {
    expect((await admin.script('platform-key', 'retire', 'cursor')).status).toBe(0);
    expect(await admin.script('platform-key', 'retire', 'cursor')).toMatchObject({
      status: 1,
      err: 'the key cursor has no earlier key: begin with platform-key rotate cursor\n',
    });
    await admin.script('platform-key', 'rotate', 'cursor');
    const refused = await admin.script('platform-key', 'rotate', 'cursor');
    expect([refused.status, refused.err]).toEqual([
      1,
      expect.stringMatching(
        /^the key cursor is being rotated until .* UTC: platform-key retire cursor ends this at once\n$/,
      ),
    ]);
  });

  it('refuses to rotate an unknown key or `payment-emails`', async () => {
    const refused = await admin.script('platform-key', 'rotate', 'payment-emails');
    expect([refused.status, refused.err]).toEqual([1, expect.stringContaining('is never rotated: ')]);
    const unknown = await admin.script('platform-key', 'rotate', 'cursors');
    expect([unknown.status, unknown.err]).toEqual([
      2,
      expect.stringContaining('The keys are: cursor, login and payment-emails.'),
    ]);
  });

  it('asks the operator before it retires a key', async () => {
    const { status, err } = await admin.read('platform-key', 'retire', 'cursor');
    expect([status, err]).toEqual([1, expect.stringContaining('give --yes')]);
  });

  it('records each change in the audit trail, but no secret', async () => {
    const { out, json } = await admin.script('audit', 'list', '--month', new Date(nowMs).toISOString().slice(0, 7));
    const entries = json.entries.filter(({ command }: { command: string }) => command.startsWith('platform-key'));
    expect(entries.map(({ command }: { command: string }) => command)).toContain('platform-key retire');
    expect(entries[0].change).toEqual({ before: expect.any(Object), after: expect.any(Object) });
    for (const secret of await secretsIn()) expect(out).not.toContain(secret);
  });
});
