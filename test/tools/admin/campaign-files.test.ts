import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import {
  admin,
  approveByBoth,
  award,
  campaign,
  done,
  draft,
  earn,
  file,
  merchant,
  partner,
  partnership,
  refusal,
  shared,
  signupBonus,
  useCampaigns,
  world,
} from './campaign-commands.ts';
import { temporaryFile } from './command-line.ts';

useCampaigns();

const applyTo = (content: object, as: readonly string[] = merchant) =>
  campaign('apply', file(content), ...as, '--partnership', partnership);
const byTrigger = { trigger: { type: 'CUSTOM', name: 'signup_completed' }, actions: [signupBonus] };

describe('the command campaign apply', () => {
  it('changes the existing campaign of the same name', async () => {
    const made = done(await applyTo({ ...earn, name: 'Repeatable' }));
    const again = done(await applyTo({ ...earn, name: 'Repeatable' }));
    const changed = done(await applyTo({ ...earn, name: 'Repeatable', description: 'More.' }));

    expect([made.outcome, again.outcome, changed.outcome]).toEqual(['made', 'unchanged', 'changed']);
    expect(changed.campaign.id).toBe(made.campaign.id);
  });

  it('says that a campaign is deleted', async () => {
    const content = { ...earn, name: 'Gone' };
    const { id } = done(await applyTo(content)).campaign;
    expect((await admin.read(`campaign delete ${id}`, ...merchant, '--yes')).out).toBe(
      `Campaign ${id} is DRAFT, deleted.\n`,
    );
    for (const command of ['apply', 'diff'] as const) {
      expect(refusal(await campaign(command, file(content), ...merchant, '--campaign', String(id)))).toMatch(
        new RegExp(`^campaign ${id} \\(Gone\\) is deleted; .*campaign list`),
      );
    }
  });

  it.each([
    ['/nowhere/campaign.json', () => '/nowhere/campaign.json', 'there is no /nowhere/campaign.json: check the path'],
    ['a folder', () => temporaryFolder('files'), 'is a folder: name a file in it'],
    [
      'a CSV file',
      () => temporaryFile('campaign.csv', 'name,type\nSpring,EARN\n'),
      'is not JSON: it begins with “name,type”, and not with {',
    ],
    ['a broken file', () => temporaryFile('broken.json', '{ "name": "Spring",\n "type" }'), 'is not JSON: Expected '],
  ])('refuses %s in one sentence', async (_case, path, sentence) => {
    const { status, err } = await admin.read('campaign apply', path(), ...merchant, '--partnership', partnership);
    expect([status, err]).toEqual([1, expect.stringMatching(/^.+\n$/)]);
    expect(err).toContain(sentence);
  });

  it('creates a new campaign when the campaign of the same name has ended', async () => {
    const { id } = done(await applyTo({ ...earn, name: 'Seasonal' })).campaign;
    await approveByBoth(id);
    const next = done(await applyTo({ ...earn, name: 'Seasonal', description: 'Again.' }));
    expect(next.campaign).toMatchObject({ id, draft: { version: 2 } });
    done(await campaign('end', id, ...merchant));

    const other = done(await applyTo({ ...earn, name: 'Seasonal' }));
    expect(other.outcome).toBe('made');
    expect(other.campaign.id).not.toBe(id);
    expect(done(await applyTo({ ...earn, name: 'Seasonal' })).outcome).toBe('unchanged');
  });

  it('creates only one campaign in parallel runs', async () => {
    const runs = await Promise.all([1, 2, 3].map(() => applyTo({ ...earn, name: 'At once' })));
    const { campaigns } = done(await campaign('list', 'Corner Coffee'));
    const named = campaigns.filter(({ name }: { name: string }) => name === 'At once');

    expect(runs.map(({ status }) => status)).toEqual([0, 0, 0]);
    expect(named).toHaveLength(1);
  });

  it('asks for an id when two campaigns share a name', async () => {
    const first = await draft({ ...earn, name: 'Twice' });
    const second = await draft({ ...earn, name: 'Twice' });

    expect(refusal(await applyTo({ ...earn, name: 'Twice' }))).toMatch(
      new RegExp(`several campaigns are called Twice: give one of the ids (${first}, ${second}|${second}, ${first})`),
    );
  });
});

describe('the command campaign show with a file', () => {
  it.each([
    ['a draft', () => draft({ ...earn, flows: [...earn.flows, byTrigger] })],
    ['a running campaign with parts of both sides', () => shared()],
  ])('writes %s as a document that `apply` accepts', async (_, make) => {
    const id = await make();
    const path = file('');
    done(await campaign('show', id, '--file', path));

    expect(JSON.parse(readFileSync(path, 'utf8')).id).toBe(id);
    expect(done(await campaign('apply', path, ...merchant)).outcome).toBe('unchanged');
    expect(done(await campaign('apply', path, ...partner, '--campaign', id)).outcome).toBe('unchanged');
  });

  it('writes the names of triggers', async () => {
    const path = file('');
    done(await campaign('show', await draft({ ...earn, flows: [byTrigger] }), '--file', path));
    expect(JSON.parse(readFileSync(path, 'utf8')).flows[0].trigger).toEqual(byTrigger.trigger);
  });
});

describe('the text of a campaign', () => {
  it('is in words, with the partnership’s time zone', async () => {
    const id = await draft({
      ...earn,
      startsAt: '2027-07-01T04:00:00Z',
      endsAt: '2027-12-31T23:00:00Z',
      flows: [
        {
          ...earn.flows[0],
          conditionGroups: [
            { conditions: [{ attribute: 'GEOGRAPHY', operator: 'IS_IN', values: ['US'] }] },
            { logic: 'ALL', conditions: [{ attribute: 'BASKET_SIZE', operator: 'GREATER_THAN', amountCents: 2_500 }] },
          ],
          multipliers: [
            { attribute: 'VARIABLE', operator: 'IS_IN', name: 'plan', values: ['yearly'], factorBp: 15_000 },
          ],
          limits: [{ kind: 'USER', unit: 'EVENTS', amount: 3, period: 'WEEK' }],
        },
      ],
      goals: [{ type: 'POINTS_EARNED', target: 1_000_000 }],
    });
    const { out } = await admin.read(`campaign show ${id}`);

    expect(out).toContain('2027-07-01 00:00:00 EDT\n');
    expect(out).toContain('2027-12-31 18:00:00 EST\n');
    expect(out).toContain(
      'When a member spends, Skyline Miles gives 2 points per $1, half as much again if plan is yearly, ' +
        'if the member lives in US, and if the purchase is more than $25.00, at most 3 times a week.',
    );
    expect(out).toContain('points earned: 1,000,000');
    expect((await admin.read('campaign list "Corner Coffee"')).out).toContain('EDT');
  });
});

describe('the command campaign simulate', () => {
  const member = () => String(world.demo.members[0]?.id);
  const trial = (...args: string[]) => campaign('simulate', member(), '--as', 'Corner Coffee', ...args);

  it('shows what a purchase would give, and writes nothing', async () => {
    const { campaigns } = done(await trial('--amount', '10', '--campaign', String(world.demo.campaigns.earn)));

    expect(campaigns).toMatchObject([
      { campaignId: world.demo.campaigns.earn, reason: null, rewards: [{ type: 'EARN' }] },
    ]);
    const { out } = await admin.read('campaign simulate', member(), '--as', '1', '--amount', '10');
    expect(out).toMatch(/Campaign \d+ \(.*\) would give \d+ points of partner 2/);
    expect(out).toContain('came to');
  });

  it('simulates a trigger event with the context given by --context', async () => {
    const event = ['--trigger', 'signup_completed', '--partnership', partnership];
    const { campaigns } = done(await trial(...event, '--context', '{"plan":"yearly","seats":1}'));
    expect(campaigns.length).toBeGreaterThan(0);
  });
});

describe('the command campaign import', () => {
  const importOf = (files: Readonly<Record<string, unknown>>, ...options: string[]) => {
    const folder = temporaryFolder('campaigns');
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
    }
    return campaign('import', folder, ...merchant, '--partnership', partnership, ...options);
  };

  it('applies each file, except in a dry run', async () => {
    const files = { 'a.json': { ...earn, name: 'Import A' }, 'b.json': { ...earn, name: 'Import B' }, 'notes.txt': '' };
    const dry = await importOf(files, '--dry-run');
    const real = await importOf(files);
    const again = await importOf({ ...files, 'b.json': { ...earn, name: 'Import B', description: 'New.' } });

    expect(dry.json).toMatchObject({ dry_run: true, created: 2, faults: [] });
    expect(real.json).toMatchObject({ created: 2, changed: 0, unchanged: 0 });
    expect(again.json).toMatchObject({ created: 0, changed: 1, unchanged: 1 });
  });

  it('reports all faults, and applies the files without faults', async () => {
    const wrong = {
      ...earn,
      name: '',
      flows: [{ trigger: { type: 'SPEND' }, actions: [{ ...award, pointsPerEvent: 3 }] }],
    };
    const { status, json } = await importOf({
      'a.json': wrong,
      'b.json': '{',
      'c.json': { ...earn, name: 'Import C' },
    });

    expect(status).toBe(1);
    expect(json).toMatchObject({ created: 1 });
    expect(json.faults.map(({ place }: { place: string }) => place)).toEqual(['a.json', 'b.json']);
    expect(json.faults[0].message).toMatch(/\/name: must not be empty\n.*pointsPerEvent/);
    expect(json.faults[1].message).toContain('is not JSON');
  });
});
