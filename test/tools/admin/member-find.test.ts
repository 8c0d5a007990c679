import { describe, expect, it } from 'vitest';
import { PlatformEvent } from '../../../shared/contracts/events.ts';
import type { Member } from '../../../shared/domain/member/member.ts';
import { indexMember } from '../../../shared/operations/member/find-members.ts';
import { createMember } from '../../../shared/operations/member/manage-members.ts';
import { memberWrites } from '../../../shared/store/member/members.ts';
import { aMember, anAssociation, aUser } from '../../domain/fixtures.ts';
import { createTransaction } from '../../support/story.ts';
import { admin, useWorld, world } from './admin-world.ts';

let sophie: Member;

useWorld(async () => {
  sophie = await createMember(
    {
      ...{ firstName: 'Sophie', lastName: 'O’Néil Kowalewska', email: 'Sophie@Example.com' },
      merchant: { id: world.demo.merchant.id, externalId: 'shop 7' },
      program: { partnerId: world.demo.partner.id, externalId: 'SKY-77', statusTierId: null, points: 1 },
    },
    world.platform,
  );
});

const find = async (text: string) => {
  const { status, json } = await admin.script(`member find "${text}"`);
  return { status, found: json.members.map((one: { id: number; foundBy: string }) => [one.id, one.foundBy]) };
};

describe('the command member find', () => {
  it.each<[string, string, () => string]>([
    ['e-mail', 'e-mail', () => ' sophie@example.com '],
    ['first name', 'name', () => 'sophie'],
    ['words of the name in any order, without accents', 'name', () => 'kowalewska NEIL'],
    ['member id', 'member id', () => String(sophie.user.id)],
    ['UUID', 'member id', () => sophie.user.uuid.toUpperCase()],
    ['id of a merchant', 'id of Corner Coffee', () => 'shop 7'],
    ['id of a program', 'id of Skyline Miles', () => 'SKY-77'],
    ['id of a linked account', 'linked account', () => String(sophie.memberships[0]?.id)],
  ])('finds a member by %s', async (_, by, text) => {
    expect(await find(text())).toEqual({ status: 0, found: [[sophie.user.id, by]] });
  });

  it('finds a member by a reward transaction', async () => {
    const { id, userId } = await createTransaction(world, { campaignId: world.demo.campaigns.earn, amount: 5 });

    expect(await find(String(id))).toEqual({ status: 0, found: [[userId, 'transaction']] });
  });

  it.each(['sophie kovalevskaya', 'sop', 'nobody@example.com', '12'])(
    'finds no member by %s, and ends with status 1',
    async (text) => {
      expect(await find(text)).toEqual({ status: 1, found: [] });
    },
  );

  it('reads an index without readable names and addresses', async () => {
    let rows = 0;
    for await (const item of world.table.mirror.read(['memberIndex'])) {
      rows += 1;
      expect(JSON.stringify(item)).not.toMatch(/sophie|kowalewska|example/i);
    }
    expect(rows).toBeGreaterThan(0);
  });
});

describe('an indexed member', () => {
  const emmy = aMember({
    user: aUser({
      id: 77,
      firstName: 'Emmy',
      lastName: 'Noether',
      email: 'emmy@example.com',
      phoneNumber: '+4930123456',
    }),
    memberships: [],
    associations: [anAssociation({ id: 78, userId: 77, externalId: 'emmy' })],
  });

  it('is found after `member index` ran twice', async () => {
    await world.platform.table.transact(memberWrites(emmy));
    expect((await find('Emmy Noether')).found).toEqual([]);
    for (let time = 0; time < 2; time += 1) expect((await admin.script('member index')).status).toBe(0);

    expect((await find('Emmy Noether')).found).toEqual([[77, 'name']]);
    expect((await find('+49 (30) 123-456')).found).toEqual([[77, 'phone']]);
  });

  it('is not found by a former address that the index still has', async () => {
    const former = { ...emmy.user, email: 'former@example.com' };
    await world.platform.memberIndex.add([former]);

    expect((await find('former@example.com')).found).toEqual([]);
  });

  it('is found after the event of the member’s link', async () => {
    const { user } = sophie;
    const linked = { ...user, uuid: user.uuid };
    const event = PlatformEvent.parse({
      ...{ id: user.uuid, name: 'user_partner_authentication_created', entityId: linked.uuid },
      ...{ merchantId: 1, partnerId: 2, occurredAt: '2026-03-08T12:00:00.000Z' },
    });
    for (let time = 0; time < 2; time += 1) await indexMember(event, world.platform);

    expect((await find('sophie@example.com')).found).toEqual([[user.id, 'e-mail']]);
    await expect(
      indexMember({ ...event, entityId: '019b0000-0000-7000-8000-00000000abcd' }, world.platform),
    ).rejects.toThrow('there is no user');
  });
});
