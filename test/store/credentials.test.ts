import { beforeAll, describe, expect, it } from 'vitest';
import { type Credential, Credentials, credentialWrite, digestOf } from '../../shared/store/credential/credentials.ts';
import { ConditionFailedError } from '../../shared/store/table/table-client.ts';
import { makeTestTable } from '../support/test-table.ts';

let credentials: Credentials;
beforeAll(async () => {
  credentials = new Credentials((await makeTestTable()).client);
});

const common = { organisationId: 1, isRevoked: false, createdAt: '2026-01-01T00:00:00.000Z' };
const user = {
  userId: 10,
  grantId: 'grant',
  userUuid: '019b0000-0000-7000-8000-000000000010',
  expiresAt: '2026-04-01T00:00:00.000Z',
};
const key: Credential = {
  ...common,
  kind: 'partnerKey',
  digest: digestOf('key'),
  expiresAt: null,
  permissions: ['users:read'],
};

describe('stored credentials', () => {
  it.each<Credential>([
    key,
    { ...common, kind: 'bearer', digest: digestOf('bearer'), expiresAt: user.expiresAt, permissions: [] },
    { ...common, ...user, kind: 'userToken', digest: digestOf('token') },
    { ...common, ...user, kind: 'refreshToken', digest: digestOf('refresh') },
  ])('of the kind $kind are found by the digest of their secret', async (credential) => {
    await credentials.add(credential);

    expect(await credentials.find(credential.digest)).toEqual(credential);
  });

  it('are not found by an unknown digest', async () => {
    expect(await credentials.find(digestOf('another'))).toBeUndefined();
  });

  it('are never replaced by a later write', async () => {
    const digest = digestOf('once');
    await credentials.add({ ...key, digest });

    await expect(credentials.add({ ...key, digest, organisationId: 2 })).rejects.toBeInstanceOf(ConditionFailedError);
  });

  it('are deleted a week after their expiry, if they have an expiry', () => {
    const ttlOf = (credential: Credential) => {
      const write = credentialWrite(credential);
      return write.kind === 'put' ? write.item.ttl : undefined;
    };

    expect(ttlOf(key)).toBeUndefined();
    expect(ttlOf({ ...common, ...user, kind: 'userToken', digest: 'x' })).toBe(
      Date.parse('2026-04-08T00:00:00Z') / 1000,
    );
  });
});
