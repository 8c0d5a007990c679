import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { consumer } from '../../../functions/consumers/release-expired/consumer.ts';
import type { AwardClaim } from '../../../shared/domain/award/claim.ts';
import { releaseExpired } from '../../../shared/operations/token/release-expired.ts';
import { claimKey } from '../../../shared/store/award/claims.ts';
import { Account } from '../../store/account.ts';
import { reconcile } from '../../support/reconcile.ts';
import { makeWorld, type World, withSources } from '../../support/world.ts';

let world: World;
let account: Account;
let orders = 0;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(async () => {
  account = await Account.open(world.table, 1_000);
  await sweptTo('2026-03-08T12:09');
});

/** Returns an instant of the day of the tests. Tokens are issued at noon and expire at 12:10. */
const at = (time: string) => new Date(`2026-03-08T${time}Z`);
const sweep = (time: string) => releaseExpired(withSources(world, { now: () => at(time) }));
const sweptTo = (minute: string) => world.platform.sequences.setSweptTo(consumer.name, minute);
const cursor = () => world.platform.sequences.sweptTo(consumer.name);

function reserve(issuedAt: string, points = 100): Promise<AwardClaim> {
  orders += 1;
  return account.reserve({ campaign: 'redeem', externalTransactionId: `order-${orders}`, points }, at(issuedAt));
}

async function stateOf({ rewards }: AwardClaim): Promise<string | undefined> {
  const [reward] = rewards;
  return reward && (await world.platform.transactions.find(reward.id))?.state;
}

describe('an expired token', () => {
  it('returns its points within a minute', async () => {
    const [over, live] = [await reserve('12:00:10.000'), await reserve('12:00:40.000')];

    await sweep('12:10:10.000');
    expect([await stateOf(over), await stateOf(live)]).toEqual(['CANCELLED', 'INITIATED']);
    expect(await account.balance()).toEqual({ availablePoints: 900, heldPoints: 100 });

    await sweep('12:11:10.000');
    expect(await stateOf(live)).toBe('CANCELLED');
    expect(await account.balance()).toEqual({ availablePoints: 1_000, heldPoints: 0 });
  });

  it('returns its points in the next sweep when a sweep runs out of time', async () => {
    const claims = await Promise.all(Array.from({ length: 70 }, () => reserve('12:00:00.000', 1)));
    let seconds = 0;
    const slowly = () => new Date(at('12:10:10.000').getTime() + 30_000 * seconds++);

    await releaseExpired(withSources(world, { now: slowly }));
    const first = await Promise.all(claims.map(stateOf));
    await sweep('12:10:40.000');

    expect(first.filter((state) => state === 'INITIATED')).toHaveLength(6);
    expect(await Promise.all(claims.map(stateOf))).toEqual(claims.map(() => 'CANCELLED'));
    expect(await account.balance()).toEqual({ availablePoints: 1_000, heldPoints: 0 });
  });
});

describe('the sweep of release-expired', () => {
  it('continues minute by minute after a downtime and stores its position', async () => {
    const claims = [await reserve('12:00:00.000'), await reserve('12:07:59.000'), await reserve('12:29:59.000')];
    const live = await reserve('12:30:01.000');

    await sweep('12:40:00.000');

    expect(await Promise.all(claims.map(stateOf))).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED']);
    expect(await stateOf(live)).toBe('INITIATED');
    expect(await cursor()).toBe('2026-03-08T12:40');
  });

  it('starts one hour in the past on its first run', async () => {
    const claim = await reserve('12:00:00.000');
    await world.table.client.write({
      kind: 'delete',
      key: { pk: `SEQUENCE#${consumer.name}`, sk: 'SEQUENCE' },
    });

    await sweep('13:10:00.000');

    expect(await stateOf(claim)).toBe('CANCELLED');
  });
});

describe('a claim that cannot be released', () => {
  let poison: AwardClaim;
  let others: AwardClaim[];
  const key = () => claimKey(poison);
  beforeEach(async () => {
    poison = await reserve('12:00:00.000');
    others = [await reserve('12:00:00.000'), await reserve('12:01:00.000')];
    await world.table.client.write({ kind: 'update', key: key(), changes: { set: { heldPoints: 'a hundred' } } });
  });

  const repair = () =>
    world.table.client.write({ kind: 'update', key: key(), changes: { set: { heldPoints: poison.heldPoints } } });

  it('does not prevent the release of other claims', async () => {
    await expect(sweep('12:12:00.000')).rejects.toThrow('1 reservations could not be released');

    expect(await Promise.all(others.map(stateOf))).toEqual(['CANCELLED', 'CANCELLED']);
    await repair();
    await sweep('12:13:00.000');
  });

  it('makes every sweep fail until it is repaired, and is then released', async () => {
    await expect(sweep('12:12:00.000')).rejects.toThrow(AggregateError);
    await expect(sweep('12:13:00.000')).rejects.toThrow(AggregateError);
    expect(await stateOf(poison)).toBe('INITIATED');

    await repair();
    await sweep('12:14:00.000');

    expect(await stateOf(poison)).toBe('CANCELLED');
    await sweep('12:15:00.000');
  });

  it('lets the failed sweep store its new position', async () => {
    await expect(sweep('12:12:00.000')).rejects.toThrow(AggregateError);

    expect(await cursor()).toBe('2026-03-08T12:12');
    await repair();
    await sweep('12:13:00.000');
  });
});

describe('the table after all tests', () => {
  it('passes the reconciliation without a difference', async () => expect(await reconcile(world.table)).toEqual([]));
});
