import { describe, expect, it } from 'vitest';
import { ChangedMeanwhileError, InUseError, WrongStateError } from '../../../shared/operations/errors.ts';
import { issueUserTokens } from '../../../shared/operations/member/issue-user-tokens.ts';
import { deleteOrganisation } from '../../../shared/operations/organisation/edit-organisation.ts';
import { createPartnership } from '../../../shared/operations/partnership/manage-partnership.ts';
import { Partnerships } from '../../../shared/store/campaign/partnerships.ts';
import { digestOf } from '../../../shared/store/credential/credentials.ts';
import { issueToken } from '../../support/story.ts';
import { admin, useWorld, world } from './admin-world.ts';
import { temporaryFile } from './command-line.ts';
import { receptionOf } from './reception.ts';

useWorld();

const demoName = 'Corner Coffee × Skyline Miles';

const newOrganisation = async (name: string, kind: 'merchant' | 'partner') =>
  (await admin.script(`organisation create "${name}" --kind "${kind}"`)).json;

/** Makes a partnership with a new partner, because the same two may have only one active partnership. */
async function newPartnership(name: string) {
  const { organisation } = await newOrganisation(`Partner of ${name}`, 'partner');
  const sides = ['--merchant', 'Harbour Books', '--partner', String(organisation.id)];
  return (await admin.script(`partnership create "${name}"`, ...sides)).json.partnership;
}

/** The entry of the audit trail about the last change. */
const lastEntry = async () => (await admin.script('audit list --limit 1')).json.entries[0];

describe('the command partnership edit', () => {
  it('changes the given values, and records their old and new values', async () => {
    const { uuid } = await newPartnership('Books × Miles');
    const edits = ['--name', 'Pages × Miles', '--cashback', 'on', '--reversals', 'unlimited', '--description', 'New.'];
    const { json } = await admin.script('partnership edit "Books × Miles"', ...edits, '--time-zone', 'Europe/Lisbon');

    const after = {
      name: 'Pages × Miles',
      allowsCashback: true,
      reversalPolicy: 'unlimited',
      description: 'New.',
      timeZone: 'Europe/Lisbon',
    };
    expect(json).toMatchObject({ outcome: 'changed', partnership: { uuid, ...after } });
    expect(await world.platform.partnerships.find(uuid)).toMatchObject(after);
    expect(await lastEntry()).toMatchObject({
      command: 'partnership edit',
      change: {
        before: {
          name: 'Books × Miles',
          allowsCashback: false,
          reversalPolicy: 'within_balance',
          description: null,
          timeZone: 'America/New_York',
        },
        after,
      },
    });
  });

  it('writes nothing when the partnership already has the values', async () => {
    const { uuid } = await newPartnership('Unchanged × Miles');
    const { json } = await admin.script(`partnership edit ${uuid} --cashback off --name "Unchanged × Miles"`);

    expect(json).toMatchObject({ outcome: 'unchanged', changed: [] });
    expect(await world.platform.partnerships.find(uuid)).not.toHaveProperty('revision');
  });

  it('refuses one of two edits that run at the same time', async () => {
    const { uuid } = await newPartnership('Raced × Miles');
    const both = await Promise.all(
      ['only_pending', 'unlimited'].map((policy) => admin.script(`partnership edit ${uuid} --reversals "${policy}"`)),
    );
    const stored = await world.platform.partnerships.find(uuid);

    for (const { status, json, err } of both) {
      if (status === 0) expect(json.partnership.reversalPolicy).toBeDefined();
      else expect(err).toContain('was changed meanwhile');
    }
    // Each successful edit raises the revision by one. Both succeed when one ended before the other began.
    expect(stored?.revision).toBe(both.filter(({ status }) => status === 0).length);
  });

  it('refuses another time zone while a campaign can reward', async () => {
    const refused = await admin.script(`partnership edit "${demoName}" --time-zone Asia/Tokyo`);
    expect(refused.status).toBe(1);
    expect(refused.err).toMatch(/it is active, with campaigns \d+ and \d+: stop it with partnership deactivate/);

    await admin.script(`partnership deactivate "${demoName}"`);
    const allowed = await admin.script(`partnership edit "${demoName}" --time-zone Asia/Tokyo`);
    expect(allowed.json.partnership.timeZone).toBe('Asia/Tokyo');
    await world.platform.table.write({
      kind: 'update',
      key: { pk: `PARTNERSHIP#${world.demo.partnership.uuid}`, sk: 'TOTALS#CAMPAIGN#0000000000000001#0' },
      changes: { add: { earnedPoints: 5, redeemedPoints: 0, transactions: 1 } },
      repetition: 'harmless',
    });
    const final = await admin.script(`partnership edit "${demoName}" --time-zone America/New_York`);
    await admin.script(`partnership activate "${demoName}"`);

    expect(final.err).toContain('its ledger has entries, so its time zone is final');
  });

  it('refuses to forbid cashback while a campaign awards cashback', async () => {
    const { uuid } = await newPartnership('Cashback × Miles');
    await admin.script(`partnership edit ${uuid} --cashback on`);
    const flows = [{ trigger: { type: 'SPEND' }, actions: [{ kind: 'AWARD_CASHBACK', shareBp: 500 }] }];
    const file = temporaryFile('cashback.json', { name: 'Five per cent', type: 'EARN', flows });
    const sides = ['--as', 'Harbour Books'];
    const made = await admin.script(`campaign apply ${file}`, ...sides, '--partnership', uuid);
    const { id } = made.json.campaign;
    await admin.script(`campaign approve ${id}`, ...sides);
    await admin.script(`campaign approve ${id} --as "Skyline Miles"`);

    const refused = await admin.script(`partnership edit ${uuid} --cashback off`);
    expect(refused.err).toContain(`campaign ${id} (Five per cent) award cashback`);
    await admin.script(`campaign end ${id}`, ...sides);
    expect((await admin.script(`partnership edit ${uuid} --cashback off`)).status).toBe(0);
  });

  it.each([
    ['a call without changes', [], 2, 'give what to change'],
    ['an unknown time zone', ['--time-zone', 'Mars'], 2, 'a time zone'],
    ['a name of the merchant’s other partnership', ['--name', 'Taken × Miles'], 1, 'has this name already'],
  ])('is refused for %s', async (_, options, status, message) => {
    const existing = (await admin.script('partnership list')).json.partnerships.map(
      ({ name }: { name: string }) => name,
    );
    if (!existing.includes('Taken × Miles')) await newPartnership('Taken × Miles');
    if (!existing.includes('Free × Miles')) await newPartnership('Free × Miles');
    const refused = await admin.script('partnership edit "Free × Miles"', ...options);

    expect(refused.status).toBe(status);
    expect(refused.err).toContain(message);
  });
});

describe('the command partnership delete', () => {
  it('deletes an inactive partnership without live campaigns, once', async () => {
    const { uuid } = await newPartnership('Short × Miles');
    await admin.script(`partnership deactivate ${uuid}`);
    expect((await admin.person(() => 'no', `partnership delete ${uuid}`)).err).toContain('not confirmed');
    const deleted = await admin.script(`partnership delete ${uuid}`);

    expect(deleted.json.partnership).toMatchObject({ uuid, isDeleted: true });
    expect((await admin.script(`partnership delete ${uuid}`)).err).toContain('is deleted');
    expect((await admin.script(`partnership edit ${uuid} --name Again`)).err).toContain('is deleted');
    expect((await admin.read('partnership list')).out).not.toContain('Short × Miles');
  });
});

describe('the command organisation edit', () => {
  it('changes the name and the redirect URIs', async () => {
    await newOrganisation('Old Name', 'merchant');
    const [first, second] = ['https://a.example/done', 'https://b.example/done'];
    const added = ['--add-redirect-uri', first, '--add-redirect-uri', second];
    expect((await admin.script('organisation edit "Old Name"', ...added)).json.organisation.redirectUris).toEqual([
      first,
      second,
    ]);
    const edit = ['--name', 'New Name', '--remove-redirect-uri', first];
    const { json } = await admin.script('organisation edit "Old Name"', ...edit);

    expect(json).toMatchObject({ outcome: 'changed', organisation: { name: 'New Name', redirectUris: [second] } });
    expect((await admin.script('organisation edit "New Name"', ...added.slice(2))).json.outcome).toBe('unchanged');
    expect((await lastEntry()).change).toEqual({
      before: { name: 'Old Name', redirectUris: [first, second] },
      after: { name: 'New Name', redirectUris: [second] },
    });
  });
});

describe('the command organisation delete', () => {
  it('revokes the keys of the organisation and frees its name', async () => {
    const { organisation, key } = await newOrganisation('Gone Soon', 'merchant');
    const { status } = await admin.script('organisation delete "Gone Soon"');

    expect(status).toBe(0);
    expect(await receptionOf(world, key.secret)).toBe('not valid');
    expect((await admin.script(`organisation show ${organisation.id}`)).err).toContain('is deleted');
    expect((await admin.script('organisation create "Gone Soon" --kind merchant')).status).toBe(0);
  });
});

describe('a new partnership', () => {
  async function newSides(name: string) {
    const merchant = (await newOrganisation(`${name} Books`, 'merchant')).organisation;
    const partner = (await newOrganisation(`${name} Miles`, 'partner')).organisation;
    const create = (partnerships = world.platform.partnerships) => {
      const sides = { merchantId: merchant.id, partnerId: partner.id };
      return createPartnership({ name, description: null, ...sides }, { ...world.platform, partnerships });
    };
    return { merchant, partner, create };
  }
  const deletion = ({ id }: { id: number }, meanwhile: () => Promise<unknown>) =>
    deleteOrganisation(
      {
        organisation: String(id),
        readOutstanding: async () => ({ points: 0, cashbackCents: 0 }),
        confirm: async () => void (await meanwhile()),
      },
      world.platform,
    );

  it.each(['merchant', 'partner'] as const)('makes a simultaneous deletion of its %s fail', async (side) => {
    const sides = await newSides(`Kept ${side}`);
    await expect(deletion(sides[side], () => sides.create())).rejects.toThrow(ChangedMeanwhileError);
    await expect(deletion(sides[side], async () => {})).rejects.toThrow(InUseError);
  });

  it.each(['merchant', 'partner'] as const)('is refused when its %s was deleted meanwhile', async (side) => {
    const sides = await newSides(`Gone ${side}`);
    class Late extends Partnerships {
      #isDeleted = false;
      override async toChange(id: number) {
        const known = await super.toChange(id);
        if (!this.#isDeleted) await deletion(sides[side], async () => {});
        this.#isDeleted = true;
        return known;
      }
    }
    await expect(sides.create(new Late(world.platform.table))).rejects.toThrow(WrongStateError);
  });
});

describe('the commands that limit credentials', () => {
  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

  it('`key expire` sets when a key ends', async () => {
    const { json } = await admin.script('key create 1 --expires', inAnHour());
    const { id, secret } = json.key;
    expect((await admin.script(`key expire ${id} never`)).json.key.expiresAt).toBeNull();
    expect(await receptionOf(world, secret)).toBe('good');
    const other = (await admin.script('key create 1')).json.key;
    await admin.script(`key expire ${other.id}`, new Date(Date.now() - 1_000).toISOString());

    expect(await receptionOf(world, other.secret)).toBe('not allowed');
    expect((await admin.script(`key expire ${other.id}`, inAnHour())).err).toContain('stays expired: create a key');
    expect(await world.platform.credentials.find(digestOf(other.secret))).toBeDefined();
  });

  it('`client scopes` gives a client the listed scopes', async () => {
    const { json } = await admin.script('client create 1');
    const { clientId } = json.client;
    const { client } = (await admin.script(`client scopes ${clientId} templates:read`)).json;

    expect(client.scopes).toEqual(['templates:read']);
    expect((await lastEntry()).change.after).toEqual({ scopes: ['templates:read'] });
    expect((await admin.script(`client scopes ${clientId} all`)).err).toContain('There is no scope all');
  });
});

describe('the command token end', () => {
  it('ends every token of a member at a merchant', async () => {
    const [demoMember] = world.demo.members;
    const member = await world.platform.members.find(demoMember?.id ?? 0);
    if (!member) throw new Error('the demonstration has members');
    const issued = await Promise.all([1, 2].map(() => issueUserTokens({ member, merchantId: 1 }, world.platform)));
    const ended = await admin.script(`token end ${member.user.id} --merchant 1`);

    expect(ended.json.ended).toEqual([{ merchantId: 1, grants: expect.any(Number) }]);
    const left = await world.platform.grants.activeOf(member.user.id, 1);
    expect(left).toEqual([]);
    for (const { accessToken, refreshToken } of issued) {
      expect(await world.platform.credentials.find(digestOf(accessToken))).toMatchObject({ isRevoked: true });
      expect(await world.platform.credentials.find(digestOf(refreshToken))).toMatchObject({ isRevoked: true });
    }
    await expect(issueToken(world, 'after-the-end')).rejects.toThrow();
    expect((await admin.script(`token end ${member.user.id}`)).json.ended).toEqual([]);
  });
});
