import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ClaimKey } from '../../shared/domain/award/claim.ts';
import {
  AwardClaims,
  authenticationIdOf,
  claimItem,
  claimKey,
  minuteOf,
  parseClaim,
  unusableAuthenticationId,
} from '../../shared/store/award/claims.ts';
import { aPurchase } from '../domain/fixtures.ts';
import { fc } from '../support/fast-check.ts';
import { makeTestTable, type TestTable } from '../support/test-table.ts';

let table: TestTable;
let claims: AwardClaims;
beforeAll(async () => {
  table = await makeTestTable({ onDynamoDb: true });
  claims = new AwardClaims(table.client);
});

const keys = fc.record({ merchantId: fc.nat(), campaignId: fc.nat(), externalTransactionId: fc.string() });
const randoms = fc.uint8Array({ minLength: 16, maxLength: 16 });
const tokenPattern = /^rwa_local_[\w-]{43}$/;

function issued(externalTransactionId: string) {
  const claim = aPurchase({ externalTransactionId });
  return { ...claim, authenticationId: authenticationIdOf(claim, 'local', randomBytes(16)) };
}

describe('findByToken()', () => {
  it('returns the claim of a token', async () => {
    const claim = issued('round trip');
    await table.client.write({ kind: 'put', item: claimItem(claim) });

    expect(await claims.findByToken(claim.authenticationId)).toEqual(claim);
    expect(await claims.findByToken(authenticationIdOf(claim, 'local', randomBytes(16)))).toEqual(claim);
  });

  it.each([
    ['whose claim does not exist', () => issued('never written').authenticationId],
    ['of a refused request', () => unusableAuthenticationId('local', randomBytes(32))],
    ['that is too short', () => issued('round trip').authenticationId.slice(0, -1)],
    ['with an additional character', () => `${issued('round trip').authenticationId}A`],
    ['of another kind', () => issued('round trip').authenticationId.replace('rwa', 'rwk')],
    ['that is empty', () => ''],
  ])('returns undefined for a token %s', async (_case, token) => {
    expect(await claims.findByToken(token())).toBeUndefined();
  });
});

describe('authenticationIdOf()', () => {
  it('returns a token in the same form as unusableAuthenticationId()', () => {
    fc.assert(
      fc.property(keys, randoms, fc.uint8Array({ minLength: 32, maxLength: 32 }), (key, random, more) => {
        expect(authenticationIdOf(key, 'local', random)).toMatch(tokenPattern);
        expect(unusableAuthenticationId('local', more)).toMatch(tokenPattern);
      }),
    );
  });

  it('throws when it gets fewer than 16 random bytes', () => {
    expect(() => authenticationIdOf(aPurchase(), 'local', randomBytes(15))).toThrow(RangeError);
  });
});

describe('claimKey()', () => {
  it('returns equal keys if and only if merchant, campaign and order are equal', () => {
    const text = (key: ClaimKey) => JSON.stringify([key.merchantId, key.campaignId, key.externalTransactionId]);
    fc.assert(
      fc.property(keys, keys, (one, other) => {
        expect(claimKey(one).pk === claimKey(other).pk).toBe(text(one) === text(other));
      }),
    );
    expect(claimKey({ merchantId: 1, campaignId: 23, externalTransactionId: '4' })).not.toEqual(
      claimKey({ merchantId: 12, campaignId: 3, externalTransactionId: '4' }),
    );
  });
});

describe('dueIn()', () => {
  it('returns the claims whose tokens expire within the given minute', async () => {
    const expiresAt = '2027-01-01T00:00:59.999Z';
    const expected = Array.from({ length: 12 }, (_, number) => ({ ...issued(`due-${number}`), expiresAt }));
    const later = { ...issued('due-later'), expiresAt: '2027-01-01T00:01:00.000Z' };
    await Promise.all([...expected, later].map((one) => table.client.write({ kind: 'put', item: claimItem(one) })));

    const found = await claims.dueIn(minuteOf(expiresAt));

    expect(found.map(({ pk }) => pk).sort()).toEqual(expected.map((one) => claimKey(one).pk).sort());
    const [first = { pk: '', sk: '' }] = found;
    expect(expected).toContainEqual(await claims.findDue(first));
  });
});

describe('parseClaim()', () => {
  it('returns the claim that claimItem() wrote', () => {
    const claim = issued('as written');

    expect(parseClaim(claimItem(claim))).toEqual(claim);
  });
});
