import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { consumer } from '../../functions/consumers/release-expired/consumer.ts';
import type { Campaign } from '../../shared/domain/campaign/document/campaign.ts';
import { releaseExpired } from '../../shared/operations/token/release-expired.ts';
import { Members } from '../../shared/store/member/members.ts';
import { aCampaign, aFlow, aUserLimit, earning, type UserLimit } from '../domain/fixtures.ts';
import { reconcile } from '../support/reconcile.ts';
import { makeWorld, type World, withSources } from '../support/world.ts';
import { Account, holding } from './account.ts';

let world: World;
let account: Account;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(async () => {
  account = await Account.open(world.table, 0);
});

let campaigns = 100;
/** One cent earns one point. */
function limited(limit: Partial<UserLimit>, more: Partial<Campaign> = {}): Campaign {
  campaigns += 1;
  const flows = [{ ...aFlow([earning(1_000_000)]), limits: [aUserLimit(limit)] }];
  return aCampaign({ id: campaigns, startsAt: '2020-01-01T00:00:00.000Z', flows, ...more });
}

interface Asked {
  readonly campaign: Campaign;
  readonly order: string;
  readonly at: string;
  readonly points?: number;
  readonly timeZone?: string;
}

/** Plays endpoint 1 at an instant. Returns the promised points; nothing when the request is refused. */
async function ask({ campaign, order, at, points = 100, timeZone }: Asked): Promise<number | undefined> {
  const now = new Date(at);
  const asked = { campaign, externalTransactionId: order, points, ...(timeZone !== undefined && { timeZone }) };
  const earlier = await account.find(asked);
  const reservation = await account.decide(asked, earlier, now);
  if ('refused' in reservation) return undefined;
  const { transactions } = account;
  await (earlier
    ? transactions.replace(holding(earlier), reservation, account.context(now))
    : transactions.reserve(reservation, account.context(now)));
  return reservation.claim.rewards[0]?.points;
}

/** Plays endpoint 2. Returns the transaction. */
async function create({ campaign, order, at }: Asked) {
  const claim = await account.find({ campaign, externalTransactionId: order });
  if (!claim) throw new Error('nothing was asked for');
  await account.transactions.create(claim, account.context(new Date(at)));
  const transaction = await account.transactions.find(claim.rewards[0]?.id ?? 0);
  if (!transaction) throw new Error('there is no transaction');
  return transaction;
}

async function sweep(from: string, to: string): Promise<void> {
  await world.platform.sequences.setSweptTo(consumer.name, from);
  await releaseExpired(withSources(world, { now: () => new Date(to) }));
}

/** Returns the usage of limits by period. */
async function used(): Promise<Record<string, number>> {
  const usage = (await new Members(world.table.client).find(account.member.user.id))?.usage ?? [];
  return Object.fromEntries(usage.map((one) => [one.period, one.used]));
}

const newYork = 'America/New_York';

describe('the period of a limit', () => {
  it.each([
    ['DAY', newYork, '2026-11-21T04:59:59.999Z', '2026-11-21T05:00:00.000Z'],
    ['DAY', 'Asia/Tokyo', '2026-11-21T14:59:59.999Z', '2026-11-21T15:00:00.000Z'],
    ['DAY', newYork, '2026-03-09T03:59:59.999Z', '2026-03-09T04:00:00.000Z'],
    ['DAY', newYork, '2026-11-02T04:59:59.999Z', '2026-11-02T05:00:00.000Z'],
    ['WEEK', newYork, '2026-11-23T04:59:59.999Z', '2026-11-23T05:00:00.000Z'],
    ['WEEK', 'Europe/Berlin', '2027-01-03T22:59:59.999Z', '2027-01-03T23:00:00.000Z'],
    ['MONTH', newYork, '2028-03-01T04:59:59.999Z', '2028-03-01T05:00:00.000Z'],
    ['QUARTER', newYork, '2026-07-01T03:59:59.999Z', '2026-07-01T04:00:00.000Z'],
    ['YEAR', 'Asia/Tokyo', '2026-12-31T14:59:59.999Z', '2026-12-31T15:00:00.000Z'],
  ] as const)('is a %s of the time zone %s and ends between %s and %s', async (period, timeZone, last, first) => {
    const campaign = limited({ amount: 1, period });

    expect(await ask({ campaign, order: 'A', at: last, timeZone })).toBe(100);
    expect(await ask({ campaign, order: 'B', at: last, timeZone })).toBeUndefined();
    expect(await ask({ campaign, order: 'B', at: first, timeZone })).toBe(100);
    expect(await ask({ campaign, order: 'C', at: first, timeZone })).toBeUndefined();
    expect(Object.values(await used())).toEqual([1, 1]);
  });

  it('has no end when it is a lifetime', async () => {
    const campaign = limited({ amount: 1, period: 'LIFETIME' });

    expect(await ask({ campaign, order: 'A', at: '2026-11-21T12:00:00.000Z' })).toBe(100);
    expect(await ask({ campaign, order: 'B', at: '2046-11-21T12:00:00.000Z' })).toBeUndefined();
  });
});

describe('a charge returns to its period', () => {
  /** Five minutes before midnight and five after, in New York. */
  const [late, early] = ['2026-11-21T04:55:00.000Z', '2026-11-21T05:05:00.000Z'];
  const [yesterday, today] = ['2026-11-20', '2026-11-21'];

  it('when a token expires after midnight', async () => {
    const campaign = limited({ amount: 1, period: 'DAY' });
    await ask({ campaign, order: 'A', at: late });
    await ask({ campaign, order: 'B', at: early });
    await sweep('2026-11-21T05:05', '2026-11-21T05:06:00.000Z');

    expect(await used()).toEqual({ [yesterday]: 0, [today]: 1 });
    expect(await ask({ campaign, order: 'C', at: early })).toBeUndefined();
  });

  it('when a program rejects the reward on the next day', async () => {
    const campaign = limited({ unit: 'POINTS', amount: 250, period: 'DAY' });
    await ask({ campaign, order: 'A', at: late });
    const transaction = await create({ campaign, order: 'A', at: late });
    await ask({ campaign, order: 'B', at: early });
    await account.fail(transaction, 'account closed', new Date(early));

    expect(await used()).toEqual({ [yesterday]: 0, [today]: 100 });
    expect(await ask({ campaign, order: 'C', at: late, points: 300 })).toBe(250);
    expect(await ask({ campaign, order: 'D', at: early, points: 300 })).toBe(150);
  });

  it('when an order’s amount changes after midnight', async () => {
    const campaign = limited({ unit: 'POINTS', amount: 250, period: 'DAY' });
    await ask({ campaign, order: 'A', at: late, points: 200 });
    expect(await ask({ campaign, order: 'A', at: '2026-11-21T05:01:00.000Z', points: 240 })).toBe(240);

    expect(await used()).toEqual({ [yesterday]: 0, [today]: 240 });
  });

  it('unless the program confirms the transaction', async () => {
    const campaign = limited({ amount: 1, period: 'DAY' });
    await ask({ campaign, order: 'A', at: late });
    const transaction = await create({ campaign, order: 'A', at: late });
    await account.complete(transaction, undefined, new Date(early));

    expect(await used()).toEqual({ [yesterday]: 1 });
  });
});

describe('an order that used up a limit gets a new token', () => {
  const at = '2026-11-21T12:00:00.000Z';

  it('when the amount changes', async () => {
    const campaign = limited({ unit: 'POINTS', amount: 250 });
    expect(await ask({ campaign, order: 'A', at, points: 300 })).toBe(250);
    expect(await ask({ campaign, order: 'A', at, points: 240 })).toBe(240);
    expect(await ask({ campaign, order: 'A', at, points: 400 })).toBe(250);

    expect(await used()).toEqual({ LIFETIME: 250 });
    expect(await ask({ campaign, order: 'B', at, points: 1 })).toBeUndefined();
  });

  it('for another member after the first token expired', async () => {
    const campaign = limited({ amount: 1 });
    const first = account;
    await ask({ campaign, order: 'shared', at });
    account = await Account.open(world.table, 0);
    expect(await ask({ campaign, order: 'shared', at: '2026-11-21T12:10:00.000Z' })).toBe(100);
    expect(await used()).toEqual({ LIFETIME: 1 });

    account = first;
    expect(await used()).toEqual({ LIFETIME: 0 });
  });
});

describe('two versions of a campaign', () => {
  const at = '2026-11-21T12:00:00.000Z';

  it('share the usage of a limit with the same id', async () => {
    const first = limited({ amount: 1 });
    const flows = first.flows.map((flow) => ({ ...flow, limits: [aUserLimit({ amount: 2 })] }));
    const second = { ...first, version: 2, flows };

    expect(await ask({ campaign: first, order: 'A', at })).toBe(100);
    expect(await ask({ campaign: { ...first, version: 2 }, order: 'B', at })).toBeUndefined();
    expect(await ask({ campaign: second, order: 'B', at })).toBe(100);
    expect(await ask({ campaign: second, order: 'C', at })).toBeUndefined();
    // After the limit is lowered, its usage is above its maximum. Then it allows nothing more, and causes no error.
    expect(await ask({ campaign: { ...first, version: 3 }, order: 'C', at })).toBeUndefined();
    expect(await used()).toEqual({ LIFETIME: 2 });
  });
});

describe('the table after all tests', () => {
  it('violates no invariant', async () => expect(await reconcile(world.table)).toEqual([]));
});
