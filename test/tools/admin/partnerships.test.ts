import { beforeAll, describe, expect, it } from 'vitest';
import { newPartnership } from '../../../tools/admin/make/partnership.ts';
import { issueToken } from '../../support/story.ts';
import { makeWorld, type World } from '../../support/world.ts';
import { commandLineOf, temporaryFile } from './command-line.ts';

let world: World;
let admin: ReturnType<typeof commandLineOf>;
beforeAll(async () => {
  world = await makeWorld();
  admin = commandLineOf(world.table);
});

const demoName = 'Corner Coffee × Skyline Miles';

describe('partnership', () => {
  it('create makes an active one between the two', async () => {
    const { status, json } = await admin.script(
      ...['partnership', 'create', 'Books × Miles', '--merchant', 'Harbour Books', '--partner', '2'],
      ...[
        '--description',
        'Miles with every page.',
        '--time-zone',
        'Europe/Lisbon',
        '--cashback',
        '--reversals',
        'unlimited',
      ],
    );

    expect(status).toBe(0);
    expect(json).toEqual({
      partnership: {
        uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        name: 'Books × Miles',
        description: 'Miles with every page.',
        merchantId: 3,
        partnerId: 2,
        isActive: true,
        isDeleted: false,
        isDemo: true,
        timeZone: 'Europe/Lisbon',
        allowsCashback: true,
        reversalPolicy: 'unlimited',
        createdAt: expect.any(String),
      },
    });
  });

  it.each([
    [
      'sides of the wrong kinds',
      ['--merchant', '2', '--partner', '1'],
      1,
      'organisation 2 (Skyline Miles) is a partner',
    ],
    ['a name that the merchant has one of', ['--merchant', '1', '--partner', '2'], 1, 'has this name already'],
    ['a time zone that there is not', ['--merchant', '1', '--partner', '2', '--time-zone', 'Mars'], 2, 'a time zone'],
    ['one side only', ['--merchant', '1'], 2, "'--partner <organisation>' not specified"],
  ])('create refuses %s', async (_, options, status, message) => {
    const refused = await admin.script('partnership', 'create', demoName, ...options);

    expect(refused.status).toBe(status);
    expect(refused.err).toContain(message);
  });

  it('is never made with a time zone that there is not, by whatever way', () => {
    const sides = { name: 'Tea × Miles', description: null, merchantId: 1, partnerId: 2 };
    expect(() => newPartnership(world.platform, { ...sides, timeZone: 'Mars/Olympus' })).toThrow(
      'there is no time zone Mars/Olympus: it is one such as America/New_York',
    );
    expect(newPartnership(world.platform, { ...sides, timeZone: 'Asia/Kathmandu' }).made.timeZone).toBe(
      'Asia/Kathmandu',
    );
  });

  it('list tells all of them, or those of one organisation', async () => {
    const names = (json: { partnerships: { name: string }[] }) => json.partnerships.map(({ name }) => name);

    expect(names((await admin.script('partnership', 'list')).json)).toEqual(['Books × Miles', demoName]);
    expect(names((await admin.script('partnership', 'list', '--of', 'Corner Coffee')).json)).toEqual([demoName]);
    expect(names((await admin.script('partnership', 'list', '--of', '2')).json)).toHaveLength(2);
    expect((await admin.read('partnership', 'list')).out).toContain('Harbour Books');
  });

  it('show finds one by UUID and by name, with campaigns and triggers', async () => {
    const { uuid } = world.demo.partnership;
    const byUuid = await admin.script('partnership', 'show', uuid.toUpperCase());
    const byName = await admin.script('partnership', 'show', demoName);

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
    expect((await admin.read('partnership', 'show', 'Nothing × Nobody')).err).toBe(
      'there is no partnership Nothing × Nobody\n',
    );
  });

  it('deactivate has its campaigns reward nothing, until activate', async () => {
    const declined = await admin.person(() => 'no', 'partnership', 'deactivate', demoName);
    expect(declined).toMatchObject({ status: 1, err: 'not confirmed; nothing was changed\n' });
    await issueToken(world, 'while-active');

    const { json } = await admin.script('partnership', 'deactivate', demoName);
    expect(json.partnership.isActive).toBe(false);
    await expect(issueToken(world, 'while-inactive')).rejects.toThrow('authenticated as');
    expect((await admin.script('partnership', 'deactivate', demoName)).err).toContain('is inactive already');

    expect((await admin.read('partnership', 'activate', demoName)).status).toBe(0);
    await issueToken(world, 'while-active-again');
  });

  it('deactivate changes nothing when somebody else did meanwhile', async () => {
    const answer = async () => {
      await admin.script('partnership', 'deactivate', demoName);
      return 'y';
    };
    const { status, err } = await admin.person(answer, 'partnership', 'deactivate', demoName);
    await admin.script('partnership', 'activate', demoName);

    expect(status).toBe(1);
    expect(err).toContain('was changed by somebody else meanwhile; nothing was changed now');
  });
});

describe('trigger', () => {
  const file = (more: object = {}) => ({
    name: 'referral_made',
    description: 'Somebody brought a friend.',
    event: 'REFERRAL',
    contextSchema: { fields: { friend: { type: 'string', isRequired: true }, level: { type: 'integer', minimum: 1 } } },
    ...more,
  });
  const apply = (content: unknown) =>
    admin.script('trigger', 'apply', demoName, temporaryFile('trigger.json', content));

  it('apply makes one, then changes it, then finds nothing to change', async () => {
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
      description: 'Somebody brought a friend.',
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

  it('of two who make the same one at once, one learns of the other', async () => {
    const at = temporaryFile('trigger.json', file({ name: 'raced' }));
    const both = await Promise.all([1, 2].map(() => admin.script('trigger', 'apply', demoName, at)));
    const [won, lost] = both.toSorted((one, other) => one.status - other.status);

    expect(won?.json?.trigger).toMatchObject({ name: 'raced', revision: 1 });
    // When the first was done before the second looked, there was nothing left to do.
    if (lost?.status === 0) expect(lost.json.outcome).toBe('unchanged');
    else expect(lost?.err).toBe('somebody else made the trigger raced meanwhile; nothing was changed now\n');
  });

  it.each([
    [
      'a field of no type',
      file({ contextSchema: { fields: { friend: { type: 'text' } } } }),
      'has a fault:\n  /contextSchema/fields/friend',
    ],
    ['a property that there is not', file({ active: true }), 'has a fault:\n  /active: '],
    ['no name', file({ name: '' }), 'has a fault:\n  /name: must not be empty'],
    ['what is not JSON', '{', 'is not JSON'],
  ])('apply refuses %s and says where', async (_, content, where) => {
    const { status, err } = await apply(content);

    expect(status).toBe(1);
    expect(err).toContain('trigger.json');
    expect(err).toContain(where);
  });

  it('apply says that there is no such file', async () => {
    const { status, err } = await admin.script('trigger', 'apply', demoName, 'nowhere.json');

    expect(status).toBe(1);
    expect(err).toMatch(/^nowhere\.json cannot be read: ENOENT/);
  });

  it('list and show tell the schema of the context', async () => {
    const { json } = await admin.script('trigger', 'list', demoName);
    const { out } = await admin.read('trigger', 'show', demoName, 'signup_completed');

    expect(json.triggers.map(({ name }: { name: string }) => name)).toContain('signup_completed');
    expect(out).toMatch(/seats +integer +no +from 1 to 1000/);
    expect(out).toContain('Other fields may come along.');
    expect((await admin.read('trigger', 'show', demoName, 'none')).status).toBe(1);
  });
});
