import { describe, expect, it } from 'vitest';
import { createPartnership } from '../../../shared/operations/partnership/manage-partnership.ts';
import { provisionOrganisation } from '../../support/provision.ts';
import { issueToken } from '../../support/story.ts';
import { admin, useWorld, world } from './admin-world.ts';
import { temporaryFile } from './command-line.ts';

useWorld();

const demoName = 'Corner Coffee × Skyline Miles';

/** Makes a merchant and two partners with new names. Returns their ids as text. */
async function newOrganisations(name: string): Promise<[string, string, string]> {
  const made = async (kind: 'MERCHANT' | 'PARTNER', suffix: string) =>
    String((await provisionOrganisation(world.platform, { name: `${name} ${suffix}`, kind })).id);
  return [await made('MERCHANT', 'House'), await made('PARTNER', 'Points'), await made('PARTNER', 'Miles')];
}

describe('the command partnership', () => {
  it('`create` returns an active partnership between the two organisations', async () => {
    const { status, json } = await admin.script(
      'partnership create "Books × Miles" --merchant "Harbour Books" --partner 2 --description "Miles with every page." --time-zone Europe/Lisbon --cashback --reversals unlimited',
    );

    expect(status).toBe(0);
    expect(json).toEqual({
      partnership: {
        uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        name: 'Books × Miles',
        description: 'Miles with every page.',
        kind: 'marketplace',
        merchantId: 3,
        partnerId: 2,
        isActive: true,
        isDeleted: false,
        isDemo: true,
        timeZone: 'Europe/Lisbon',
        allowsCashback: true,
        partnerApproval: 'needed',
        reversalPolicy: 'unlimited',
        createdAt: expect.any(String),
      },
    });
  });

  it('refuses an unknown time zone', async () => {
    const { merchant, partner } = world.demo;
    const sides = { name: 'Tea × Miles', description: null, merchantId: merchant.id, partnerId: partner.id };
    await expect(createPartnership({ ...sides, timeZone: 'Mars/Olympus' }, world.platform)).rejects.toThrow(
      'Mars/Olympus is not a time zone',
    );
    // With a known time zone the command fails for another reason: the pair has an active partnership.
    await expect(createPartnership({ ...sides, timeZone: 'Asia/Kathmandu' }, world.platform)).rejects.toThrow(
      'is active',
    );
  });

  it('`list` shows all partnerships, or the partnerships of one organisation', async () => {
    const names = (json: { partnerships: { name: string }[] }) => json.partnerships.map(({ name }) => name);

    expect(names((await admin.script('partnership list')).json)).toEqual(['Books × Miles', demoName]);
    expect(names((await admin.script('partnership list --of "Corner Coffee"')).json)).toEqual([demoName]);
    expect(names((await admin.script('partnership list --of 2')).json)).toHaveLength(2);
    expect((await admin.read('partnership list')).out).toContain('Harbour Books');
  });

  it('`show` finds a partnership by UUID or name', async () => {
    const { uuid } = world.demo.partnership;
    const byUuid = await admin.script('partnership show', uuid.toUpperCase());
    const byName = await admin.script(`partnership show "${demoName}"`);

    expect(byUuid.json).toEqual(byName.json);
    const noTotals = { earnedPoints: 0, redeemedPoints: 0, transactions: 0 };
    expect(byName.json).toMatchObject({
      partnership: { uuid, totals: noTotals },
      campaigns: [
        { id: world.demo.campaigns.earn, version: 1, type: 'EARN', status: 'ACTIVE', totals: noTotals },
        { id: world.demo.campaigns.redeem, type: 'REDEEM' },
      ],
      triggers: [{ name: 'signup_completed' }],
    });
    expect((await admin.read(`partnership show "${demoName}"`)).out).toMatch(
      /^reversals +a refund reverses what the member still has \(within_balance\)$/m,
    );
    expect((await admin.read('partnership show "Nothing × Nowhere"')).err).toBe(
      'there is no partnership Nothing × Nowhere; npm run admin -- partnership list shows what there is\n',
    );
  });

  it('`deactivate` stops all rewards until `activate`', async () => {
    const declined = await admin.person(() => 'no', `partnership deactivate "${demoName}"`);
    expect(declined).toMatchObject({ status: 1, err: 'not confirmed; nothing was changed\n' });
    await issueToken(world, 'while-active');

    const { json } = await admin.script(`partnership deactivate "${demoName}"`);
    expect(json.partnership.isActive).toBe(false);
    await expect(issueToken(world, 'while-inactive')).rejects.toThrow('authenticated as');
    expect((await admin.script(`partnership deactivate "${demoName}"`)).err).toContain('is inactive already');

    expect((await admin.read(`partnership activate "${demoName}"`)).status).toBe(0);
    await issueToken(world, 'while-active-again');
  });

  it('`deactivate` fails when the partnership is deactivated meanwhile', async () => {
    const answer = async () => {
      await admin.script(`partnership deactivate "${demoName}"`);
      return 'y';
    };
    const { status, err } = await admin.person(answer, `partnership deactivate "${demoName}"`);
    await admin.script(`partnership activate "${demoName}"`);

    expect(status).toBe(1);
    expect(err).toContain('was changed meanwhile: look at it again; nothing was changed now');
  });
});

describe('the command trigger', () => {
  const file = (more: object = {}) => ({
    name: 'referral_made',
    description: 'A member referred a friend.',
    event: 'REFERRAL',
    contextSchema: { fields: { friend: { type: 'string', isRequired: true }, level: { type: 'integer', minimum: 1 } } },
    ...more,
  });
  const apply = (content: unknown) =>
    admin.script(`trigger apply "${demoName}"`, temporaryFile('trigger.json', content));

  it('`apply` creates a trigger or changes what differs', async () => {
    const made = await apply(file());
    const changed = await apply(file({ isActive: false }));
    const unchanged = await apply(file({ isActive: false }));

    expect([made, changed, unchanged].map(({ json }) => [json.outcome, json.trigger.revision])).toEqual([
      ['made', 1],
      ['changed', 2],
      ['unchanged', 2],
    ]);
    expect(made.json.trigger).toEqual({
      name: 'referral_made',
      customTriggerId: expect.any(Number),
      event: 'REFERRAL',
      friendField: null,
      description: 'A member referred a friend.',
      isActive: true,
      revision: 1,
      contextSchema: {
        fields: {
          friend: { type: 'string', isRequired: true, maximumLength: 255 },
          level: { type: 'integer', isRequired: false, minimum: 1, maximum: null },
        },
        allowsOtherFields: false,
      },
      createdAt: expect.any(String),
    });
    expect(changed.json.trigger).toMatchObject({ customTriggerId: made.json.trigger.customTriggerId, isActive: false });
    const stored = await world.platform.triggers.find(world.demo.partnership.uuid, 'referral_made');
    expect(stored).toMatchObject({ isActive: false, revision: 2 });
  });

  it('`apply` reports when a parallel command was faster', async () => {
    const at = temporaryFile('trigger.json', file({ name: 'raced' }));
    const both = await Promise.all([1, 2].map(() => admin.script(`trigger apply "${demoName}" ${at}`)));
    const [won, lost] = both.toSorted((one, other) => one.status - other.status);

    expect(won?.json?.trigger).toMatchObject({ name: 'raced', revision: 1 });
    // Both succeed when the first command ended before the second read the table: then the second changes nothing.
    if (lost?.status === 0) expect(both.map(({ json }) => json.outcome).toSorted()).toEqual(['made', 'unchanged']);
    else
      expect(lost?.err).toBe(
        'trigger raced exists already: another operator was faster; nothing was changed now, try again\n',
      );
  });

  it.each([
    [
      'a field of an unknown type',
      file({ contextSchema: { fields: { friend: { type: 'text' } } } }),
      'has a fault:\n  /contextSchema/fields/friend',
    ],
    ['an unknown property', file({ active: true }), 'has a fault:\n  /active: '],
    [
      'an unknown friend field beside another fault',
      file({ name: '', event: 'REFERRAL', friendField: 'pal' }),
      'has 2 faults:\n  /name: must not be empty\n  /friendField: the context needs the field pal of the type string',
    ],
    ['no name', file({ name: '' }), 'has a fault:\n  /name: must not be empty'],
    ['a file that is not JSON', '{', 'is not JSON'],
  ])('`apply` is refused for %s, with the place of the fault', async (_, content, where) => {
    const { status, err } = await apply(content);

    expect(status).toBe(1);
    expect(err).toContain('trigger.json');
    expect(err).toContain(where);
  });

  it('`apply` reports that the file does not exist', async () => {
    const { status, err } = await admin.script(`trigger apply "${demoName}" nowhere.json`);

    expect(status).toBe(1);
    expect(err).toMatch(/^there is no nowhere\.json in \/.+: check the path\n$/);
  });

  it('`list` and `show` print the schema of the context', async () => {
    const { json } = await admin.script(`trigger list "${demoName}"`);
    const { out } = await admin.read(`trigger show "${demoName}" signup_completed`);

    expect(json.triggers.map(({ name }: { name: string }) => name)).toContain('signup_completed');
    expect(out).toMatch(/seats +integer +no +from 1 to 1000/);
    expect(out).toContain('Other fields are allowed.');
    expect((await admin.read(`trigger show "${demoName}" none`)).status).toBe(1);
  });
});

describe('the limit of one active partnership', () => {
  it('refuses `create` beside an active or direct partnership', async () => {
    const create = (name: string, ...options: string[]) => admin.script(`partnership create "${name}"`, ...options);
    const second = await create('Coffee again', '--merchant', '1', '--partner', '2');
    expect([second.status, second.err]).toEqual([
      1,
      expect.stringMatching(
        /active partnership of this merchant and this partner.*partnership deactivate [0-9a-f-]{36}/s,
      ),
    ]);
    const direct = await create('Books only', '--merchant', '3', '--partner', '2', '--kind', 'direct');
    expect(direct.err).toContain('active partnership');

    const [merchant, partner, other] = await newOrganisations('Tea');
    const first = ['--merchant', merchant, '--partner', partner, '--kind', 'direct'];
    expect((await create('Tea × Points', ...first)).json).toMatchObject({ partnership: { kind: 'direct' } });
    const more = await create('Tea × More', '--merchant', merchant, '--partner', other);
    expect(more.err).toContain('a direct partnership is the only one of its merchant');
  });

  it('refuses `activate` while another partnership is active', async () => {
    const [merchant, partner] = await newOrganisations('Cake');
    const sides = ['--merchant', merchant, '--partner', partner];
    const name = 'Cake, the first';
    await admin.script(`partnership create "${name}"`, ...sides);
    await admin.script(`partnership deactivate "${name}" --yes`);
    expect((await admin.script('partnership create "Cake, the second"', ...sides)).status).toBe(0);
    const refused = await admin.script(`partnership activate "${name}"`);
    expect([refused.status, refused.err]).toEqual([1, expect.stringContaining('active partnership')]);
  });

  it('lets one of several parallel `create` commands succeed', async () => {
    const [merchant, partner] = await newOrganisations('Race');
    const sides = { merchantId: Number(merchant), partnerId: Number(partner), description: null };
    const results = await Promise.allSettled(
      ['a', 'b', 'c', 'd'].map((name) => createPartnership({ ...sides, name }, world.platform)),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await world.platform.partnerships.of('byMerchant', sides.merchantId)).toHaveLength(1);
  });
});
