import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PurchaseKey } from '../../shared/domain/award/claim.ts';
import {
  authenticationIdOf,
  dueShards,
  minuteOf,
  Purchases,
  purchaseItem,
  purchaseKey,
  purchaseOf,
  unusableAuthenticationId,
} from '../../shared/store/award/claims.ts';
import { aPurchase } from '../domain/fixtures.ts';
import { fc } from '../support/fast-check.ts';
import { makeTestTable, type TestTable } from '../support/test-table.ts';

let table: TestTable;
let purchases: Purchases;
beforeAll(async () => {
  table = await makeTestTable();
  purchases = new Purchases(table.client);
});

const keys = fc.record({ merchantId: fc.nat(), campaignId: fc.nat(), externalTransactionId: fc.string() });
const randoms = fc.uint8Array({ minLength: 16, maxLength: 16 });
const tokenPattern = /^rwa_local_[\w-]{43}$/;

function issued(externalTransactionId: string) {
  const purchase = aPurchase({ externalTransactionId });
  return { ...purchase, authenticationId: authenticationIdOf(purchase, 'local', randomBytes(16)) };
}

describe('a token', () => {
  it('finds its purchase again, in one read', async () => {
    const purchase = issued('round trip');
    await table.client.write({ kind: 'put', item: purchaseItem(purchase) });

    expect(await purchases.findByToken(purchase.authenticationId)).toEqual(purchase);
    expect(await purchases.findByToken(authenticationIdOf(purchase, 'local', randomBytes(16)))).toEqual(purchase);
  });

  it.each([
    ['of a purchase that is not there', () => issued('never written').authenticationId],
    ['of a refused request', () => unusableAuthenticationId('local', randomBytes(32))],
    ['that is too short', () => issued('round trip').authenticationId.slice(0, -1)],
    ['with something behind it', () => `${issued('round trip').authenticationId}A`],
    ['of another kind', () => issued('round trip').authenticationId.replace('rwa', 'rwk')],
    ['that is none', () => ''],
  ])('%s finds nothing', async (_case, token) => {
    expect(await purchases.findByToken(token())).toBeUndefined();
  });

  it('looks like any other, usable or not', () => {
    fc.assert(
      fc.property(keys, randoms, fc.uint8Array({ minLength: 32, maxLength: 32 }), (key, random, more) => {
        expect(authenticationIdOf(key, 'local', random)).toMatch(tokenPattern);
        expect(unusableAuthenticationId('local', more)).toMatch(tokenPattern);
      }),
    );
  });

  it('tells nothing but its purchase without the random half', () => {
    expect(() => authenticationIdOf(aPurchase(), 'local', randomBytes(15))).toThrow(RangeError);
  });
});

describe('the key of a purchase', () => {
  it('is the same for the same merchant, campaign and order, and another for any other', () => {
    const text = (key: PurchaseKey) => JSON.stringify([key.merchantId, key.campaignId, key.externalTransactionId]);
    fc.assert(
      fc.property(keys, keys, (one, other) => {
        expect(purchaseKey(one).pk === purchaseKey(other).pk).toBe(text(one) === text(other));
      }),
    );
    expect(purchaseKey({ merchantId: 1, campaignId: 23, externalTransactionId: '4' })).not.toEqual(
      purchaseKey({ merchantId: 12, campaignId: 3, externalTransactionId: '4' }),
    );
  });
});

describe('what becomes due', () => {
  it('is found by the minute in which the token expires', async () => {
    const expiresAt = '2027-01-01T00:00:59.999Z';
    const expected = Array.from({ length: 12 }, (_, number) => ({ ...issued(`due-${number}`), expiresAt }));
    const later = { ...issued('due-later'), expiresAt: '2027-01-01T00:01:00.000Z' };
    await Promise.all([...expected, later].map((one) => table.client.write({ kind: 'put', item: purchaseItem(one) })));

    const shards = await Promise.all(
      Array.from({ length: dueShards }, (_, shard) => purchases.dueIn(minuteOf(expiresAt), shard)),
    );

    expect(
      shards
        .flat()
        .map(({ pk }) => pk)
        .sort(),
    ).toEqual(expected.map((one) => purchaseKey(one).pk).sort());
    const [first = { pk: '', sk: '' }] = shards.flat();
    expect(expected).toContainEqual(await purchases.findDue(first));
  });

  it('is read as it was written', () => {
    const purchase = issued('as written');

    expect(purchaseOf(purchaseItem(purchase))).toEqual(purchase);
  });
});
