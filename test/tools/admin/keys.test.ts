import { describe, expect, it } from 'vitest';
import { digestOf } from '../../../shared/store/credential/credentials.ts';
import { admin, useWorld, world } from './admin-world.ts';
import { receptionOf } from './reception.ts';

useWorld();

describe('the command key', () => {
  async function newKey(...permissions: string[]) {
    const { json } = await admin.script('key create 1 --permissions', permissions.join(','), '--label', 'till');
    return json.key as { id: string; secret: string; permissions: string[] };
  }

  it('`create` gives a key its permissions, and shows the secret once', async () => {
    const good = await newKey('partnerships:read', 'users:read');
    const other = await newKey('users:read');

    expect(good.permissions).toEqual(['users:read', 'partnerships:read']);
    expect(await receptionOf(world, good.secret)).toBe('good');
    expect(await receptionOf(world, other.secret)).toBe('not allowed');
    const { out } = await admin.read('key list "Corner Coffee"');
    expect(out).toContain(good.id);
    expect(out).not.toContain(good.secret);
  });

  it.each(['its id', 'its text', 'its digest'])('`narrow` finds a key by %s', async (how) => {
    const key = await newKey('partnerships:read', 'users:read');
    const names = { 'its id': key.id, 'its text': key.secret, 'its digest': digestOf(key.secret) };
    const { json } = await admin.script('key narrow', names[how as keyof typeof names], '--permissions', 'users:read');

    expect(json).toEqual({
      key: expect.objectContaining({ id: key.id, permissions: ['users:read'], isRevoked: false }),
    });
    expect(await receptionOf(world, key.secret)).toBe('not allowed');
  });

  it('`narrow` refuses to add permissions', async () => {
    const key = await newKey('users:read', 'orders:write');
    const more = await admin.script(`key narrow ${key.id} --permissions users:read,webhooks:write`);
    const same = await admin.script(`key narrow ${key.id} --permissions users:read,orders:write`);

    expect(more.err).toBe(`key ${key.id} has no permission webhooks:write, and none can be added: create a key\n`);
    expect(same.err).toBe(
      `key ${key.id} has these permissions and no others: nothing was changed; to grant more, create a key\n`,
    );
    expect([more.status, same.status]).toEqual([1, 1]);
  });

  it('`narrow` changes nothing when the key was revoked at the same time', async () => {
    const key = await newKey('partnerships:read', 'users:read');
    const answer = async () => {
      await admin.script(`key revoke ${key.id}`);
      return 'y';
    };
    const { status, err } = await admin.person(answer, `key narrow ${key.id} --permissions users:read`);

    expect(status).toBe(1);
    expect(err).toBe(`key ${key.id} was revoked meanwhile: look at it again; nothing was changed now\n`);
    const { json } = await admin.script('key list 1');
    const stored = json.keys.find(({ id }: { id: string }) => id === key.id);
    expect(stored).toMatchObject({ isRevoked: true, permissions: ['users:read', 'partnerships:read'] });
  });

  it('`narrow` changes nothing when the key was narrowed at the same time', async () => {
    const key = await newKey('partnerships:read', 'users:read', 'orders:write');
    const answer = async () => {
      await admin.script(`key narrow ${key.id} --permissions users:read`);
      return 'yes';
    };
    const { status, err } = await admin.person(answer, `key narrow ${key.id} --permissions orders:write`);

    expect(status).toBe(1);
    expect(err).toBe(`key ${key.id} was changed meanwhile: look at it again; nothing was changed now\n`);
  });

  it('`revoke` asks a question and revokes the key after the answer yes', async () => {
    const key = await newKey('partnerships:read');
    const { status, out, asked } = await admin.person(() => 'y', `key revoke ${key.id}`);

    expect(asked).toEqual([expect.stringContaining(`Revoke key ${key.id} of organisation 1 (Corner Coffee)?`)]);
    expect({ status, out }).toEqual({ status: 0, out: `Key ${key.id} is revoked.\n` });
    expect(await receptionOf(world, key.secret)).toBe('not valid');
    expect((await admin.script(`key revoke ${key.id}`)).err).toBe(`key ${key.id} is revoked already\n`);
  });

  it.each(['', 'n', 'nay', 'yesterday'])('`revoke` changes nothing when the operator answers %j', async (answer) => {
    const key = await newKey('partnerships:read');
    const { status, err } = await admin.person(() => answer, `key revoke ${key.id}`);

    expect({ status, err }).toEqual({ status: 1, err: 'not confirmed; nothing was changed\n' });
    expect(await receptionOf(world, key.secret)).toBe('good');
  });

  it('`revoke` changes nothing when there is no terminal to ask the question', async () => {
    const key = await newKey('partnerships:read');
    const { status, err } = await admin.read(`key revoke ${key.id}`);

    expect(status).toBe(1);
    expect(err).toContain('there is no terminal to ask at; give --yes');
    expect(await receptionOf(world, key.secret)).toBe('good');
  });

  it.each(['1-0123456789ab', '9999-0123456789ab', 'rwk_local_nothing', 'f'.repeat(64)])(
    '`revoke` finds no key for %s, and prints no secret',
    async (text) => {
      const { status, err } = await admin.script(`key revoke "${text}"`);

      expect(status).toBe(1);
      expect(err).toMatch(/^there is no partner key/);
      expect(err).not.toContain('rwk_');
    },
  );

  it('`revoke` names the kind of a credential that is no key', async () => {
    const { err } = await admin.script('key revoke', world.demo.members[0]?.accessToken ?? '');

    expect(err).toContain('it is a userToken');
  });
});

describe('the command platform-key', () => {
  it.each([
    ['cursor', 'the key cursor is not used yet: there is nothing to rotate or retire'],
    ['payment-emails', 'the key payment-emails is never rotated: '],
  ])('refuses to rotate or retire the key %s before its first use', async (purpose, reason) => {
    expect((await admin.read('platform-key list')).out).toMatch(new RegExp(`^${purpose} .*not used yet$`, 'm'));
    for (const change of ['rotate', 'retire']) {
      const { status, err } = await admin.script(`platform-key "${change}" "${purpose}"`);
      expect([status, err]).toEqual([1, expect.stringContaining(reason)]);
    }
  });
});
