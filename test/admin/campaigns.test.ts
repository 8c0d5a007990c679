import { beforeAll, describe, expect, it } from 'vitest';
import { provisionOrganisation, provisionPartnership } from '../../admin/provision.ts';
import { Action } from '../../shared/domain/campaign/action.ts';
import { campaignTypes, Flow } from '../../shared/domain/campaign/campaign.ts';
import { Condition } from '../../shared/domain/campaign/conditions/registry.ts';
import { Goal, Limit } from '../../shared/domain/campaign/limit.ts';
import { Multiplier } from '../../shared/domain/campaign/multiplier.ts';
import { periods } from '../../shared/domain/campaign/period.ts';
import { FlowTrigger } from '../../shared/domain/campaign/trigger-of-flow.ts';
import { partnershipWrite } from '../../shared/store/campaigns.ts';
import { outboxEvents } from '../support/outbox.ts';
import { makeWorld, type World } from '../support/world.ts';
import { commandLineOf, type Ran, temporaryFile } from './command-line.ts';

let world: World;
let admin: ReturnType<typeof commandLineOf>;
beforeAll(async () => {
  world = await makeWorld();
  admin = commandLineOf(world.table);
});

const partnership = 'Corner Coffee × Skyline Miles';
const merchant = ['--as', 'Corner Coffee'] as const;
const partner = ['--as', 'Skyline Miles'] as const;
const award = { kind: 'AWARD_POINTS', pointsPerDollarBp: 20_000 };
const earn = { name: 'Spring', type: 'EARN', flows: [{ trigger: { type: 'SPEND' }, actions: [award] }] };
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

const file = (content: unknown) => temporaryFile('campaign.json', content);
const campaign = (...args: (string | number)[]) => admin.script('campaign', ...args.map(String));
const done = ({ status, err, json }: Ran) => {
  expect(err).toBe('');
  expect(status).toBe(0);
  return json;
};
/** Why a command was refused. */
const refusal = ({ status, err }: Ran) => {
  expect(status).toBe(1);
  return err.trim();
};

const signupBonus = { kind: 'AWARD_POINTS', pointsPerEvent: 250 };
/** The trigger that the demonstration has. */
async function signup() {
  const { json } = await admin.script('trigger', 'show', partnership, 'signup_completed');
  return json.trigger as { name: string; customTriggerId: number };
}

/** A draft of the merchant's. */
async function draft(content: object = earn, as: readonly string[] = merchant): Promise<number> {
  const { campaign: made } = done(await campaign('apply', file(content), ...as, '--partnership', partnership));
  return made.id;
}

/** A campaign that runs, in which both own an action. */
async function shared(more: object = {}): Promise<number> {
  const id = await draft({ ...earn, ...more });
  const { document } = done(await campaign('show', id)).campaign.draft;
  const [flow] = document.flows;
  const both = {
    ...document,
    flows: [{ ...flow, actions: [...flow.actions, { ...award, pointsPerDollarBp: 5_000 }] }],
  };
  done(await campaign('apply', file(both), ...partner));
  done(await campaign('approve', id, ...merchant));
  done(await campaign('approve', id, ...partner));
  return id;
}

const toldOf = async (id: number) =>
  (await outboxEvents(world))
    .filter(({ entityId, name }) => entityId === String(id) && name.startsWith('campaign_'))
    .map(({ name }) => name);

describe('campaign apply', () => {
  it('makes a draft of a file, and nobody sees it', async () => {
    const { outcome, campaign: made } = done(
      await campaign('apply', file(earn), ...merchant, '--partnership', partnership),
    );

    expect(outcome).toBe('made');
    expect(made).toMatchObject({
      revision: 1,
      status: 'DRAFT',
      ownerId: 1,
      live: null,
      draft: { version: 1, missingApprovals: [1], document: { name: 'Spring', endsAt: null, goals: [] } },
    });
    expect(made.draft.document.flows).toEqual([
      {
        id: 1,
        trigger: { type: 'SPEND' },
        actions: [{ ...award, id: 2, ownerId: 1 }],
        conditionGroups: [],
        multipliers: [],
        limits: [],
        reevaluateOnRefund: false,
      },
    ]);
    expect(await toldOf(made.id)).toEqual([]);
  });

  it('changes nothing when the file says what is there already, with ids or without', async () => {
    const content = {
      ...earn,
      flows: [{ ...earn.flows[0], limits: [{ kind: 'USER', unit: 'EVENTS', amount: 3, period: 'WEEK' }] }],
    };
    const id = await draft(content);
    const { document } = done(await campaign('show', id)).campaign.draft;

    expect(done(await campaign('apply', file(document), ...merchant))).toEqual({
      outcome: 'unchanged',
      differences: [],
    });
    expect(done(await campaign('apply', file(content), ...merchant, '--campaign', id)).outcome).toBe('unchanged');
  });

  it('changes a campaign that runs as a next version, and tells what is otherwise', async () => {
    const id = await draft();
    done(await campaign('approve', id, ...merchant));
    const content = {
      ...earn,
      name: 'Summer',
      flows: [{ ...earn.flows[0], actions: [{ ...award, pointsPerDollarBp: 30_000 }] }],
    };
    const { differences, campaign: changed } = done(
      await campaign('apply', file(content), ...merchant, '--campaign', id),
    );

    expect(differences).toEqual([
      { pointer: '/name', old: 'Spring', new: 'Summer' },
      { pointer: '/flows/0/actions/0/pointsPerDollarBp', old: 20_000, new: 30_000 },
    ]);
    expect(changed).toMatchObject({ status: 'ACTIVE', live: { version: 1 }, draft: { version: 2, status: 'DRAFT' } });
    expect((await admin.read('campaign', 'show', String(id))).out).toContain('Version 2, DRAFT');
  });

  it('leaves a campaign that was changed since it was looked at', async () => {
    const id = await draft();
    done(await campaign('apply', file({ ...earn, name: 'Other' }), ...partner, '--campaign', id));
    expect(refusal(await campaign('apply', file(earn), ...merchant, '--campaign', id, '--revision', 1))).toMatch(
      /look at it again/,
    );
    expect(refusal(await campaign('approve', id, ...merchant, '--revision', 1))).toMatch(/look at it again/);
  });

  it('tells what may stand in a file', async () => {
    const { out } = await admin.read('campaign', 'apply', '--help');
    const told = [
      ...FlowTrigger.def.options.map(({ shape }) => `{ "type": "${shape.type.def.values[0]}"`),
      ...Action.def.options.map(({ shape }) => `{ "kind": "${shape.kind.def.values[0]}"`),
      ...Condition.def.options.map(({ shape }) => `{ "attribute": "${shape.attribute.def.values[0]}"`),
      ...Multiplier.def.options.map(({ shape }) => `{ "attribute": "${shape.attribute.def.values[0]}"`),
      ...Limit.def.options.map(({ shape }) => `{ "kind": "${shape.kind.def.values[0]}"`),
      ...[FlowTrigger, Action, Condition, Multiplier, Limit]
        .flatMap(({ def }) => def.options.flatMap(({ shape }) => Object.keys(shape)))
        .concat(Object.keys(Flow.shape))
        .filter((field) => !['id', 'ownerId', 'customTriggerId'].includes(field))
        .map((field) => `"${field}": `),
      ...[...periods, ...campaignTypes, ...Object.values(Goal.shape.type.def.entries)],
    ];
    for (const text of told) expect(out).toContain(text);
  });

  it('finds the triggers that a file names', async () => {
    const content = {
      ...earn,
      flows: [{ trigger: { type: 'CUSTOM', name: 'signup_completed' }, actions: [signupBonus] }],
    };
    const id = await draft(content);
    const { document } = done(await campaign('show', id)).campaign.draft;

    expect(document.flows[0].trigger).toEqual({ type: 'CUSTOM', customTriggerId: (await signup()).customTriggerId });
    expect(done(await campaign('apply', file(content), ...merchant, '--campaign', id)).outcome).toBe('unchanged');
  });

  it('asks which campaign is meant', async () => {
    expect(await campaign('apply', file(earn), ...merchant)).toMatchObject({
      status: 2,
      err: expect.stringContaining('--campaign'),
    });
    expect(refusal(await campaign('apply', file(earn), ...merchant, '--campaign', 99_999))).toBe(
      'there is no campaign 99999',
    );
  });

  it('is for the two sides only', async () => {
    const id = await draft();
    const outsider = ['--as', 'Harbour Books'];
    expect(refusal(await campaign('apply', file(earn), ...outsider, '--partnership', partnership))).toMatch(
      /neither side/,
    );
    expect(refusal(await campaign('apply', file(earn), ...outsider, '--campaign', id))).toMatch(/neither side/);
    expect(refusal(await campaign('duplicate', id, ...outsider))).toMatch(/neither side/);
    expect(refusal(await admin.script('template', 'create', String(id), ...outsider))).toMatch(/neither side/);
  });
});

describe('the faults of a file', () => {
  const faultsOf = async (content: unknown, ...args: (string | number)[]) => {
    const where = args.length > 0 ? args : [...merchant, '--partnership', partnership];
    const [heading, ...lines] = refusal(await campaign('apply', file(content), ...where)).split('\n');
    expect(heading).toMatch(/has (a fault|\d+ faults):$/);
    return lines.map((line) => line.trim());
  };
  const flow = (more: object) => ({ ...earn, flows: [{ ...earn.flows[0], ...more }] });

  it.each<[string, unknown, string[]]>([
    [
      'nothing in it',
      {},
      [
        '/name: is missing',
        '/type: is missing: it is one of EARN, REDEEM, CONNECT_ONLY, TRANSFER',
        '/flows: is missing',
      ],
    ],
    [
      'misspelt fields',
      { ...earn, nam: 1, flows: [{ ...earn.flows[0], limit: [] }] },
      [
        '/flows/0/limit: is not known here: is it misspelt, or in the wrong place?',
        '/nam: is not known here: is it misspelt, or in the wrong place?',
      ],
    ],
    [
      'values of the wrong kind',
      { ...flow({ actions: [{ kind: 'AWARD' }, { ...award, pointsPerDollarBp: 0.57 }] }), name: '' },
      [
        '/name: must not be empty',
        '/flows/0/actions/0/kind: has to be one of AWARD_POINTS, REDEEM_POINTS, AWARD_CASHBACK, TRANSFER_POINTS',
        '/flows/0/actions/1/pointsPerDollarBp: has to be a whole number',
      ],
    ],
    [
      'instants without an offset',
      { ...earn, startsAt: '2030-01-01', endsAt: 5 },
      [
        '/startsAt: has to be an instant with its offset from UTC, such as 2026-11-20T09:30:00Z or 2026-11-20T09:30:00-05:00',
        '/endsAt: has to be a text',
      ],
    ],
    [
      'an icon that is none',
      { ...earn, logo: 'http://example.com/icon.gif' },
      ['/logo: has to be the https:// URL of a JPG, JPEG, PNG or SVG'],
    ],
    [
      'a schedule that cannot be',
      { ...earn, startsAt: '2020-01-02T00:00:00Z', endsAt: '2020-01-01T00:00:00+00:00' },
      [
        '/endsAt: The end has to be after the start, 2020-01-02T00:00:00.000Z',
        '/startsAt: lies in the past: leave it out to start with the last approval',
        '/endsAt: lies in the past',
      ],
    ],
    [
      'an action of another type',
      flow({ actions: [{ kind: 'REDEEM_POINTS', pointValueMicros: 10_000 }] }),
      ['/flows/0/actions/0/kind: An EARN campaign has AWARD_POINTS or AWARD_CASHBACK, not REDEEM_POINTS'],
    ],
    [
      'parts for others',
      flow({ actions: [{ ...award, ownerId: 2 }] }),
      ['/flows/0/actions/0/ownerId: is new, and so belongs to organisation 1: leave the owner out'],
    ],
    [
      'what cannot be understood, beside what cannot be',
      {
        ...earn,
        endsAt: '2020-01-01T00:00:00Z',
        flows: [
          {
            trigger: { type: 'SPEND' },
            actions: ['award', { kind: 'AWARD_POINTS', pointsPerDollar: 0.57 }, { ...award, pointsPerDollarBp: 0 }],
            conditionGroups: [
              { conditions: [{ attribute: 'WEATHER' }] },
              { conditions: [{ attribute: 'BASKET_SIZE', operator: 'LESS_THAN', amountCents: 0 }] },
            ],
            limits: [
              { kind: 'USER', bound: 'MINIMUM', unit: 'EVENTS', amount: 1, period: 'DAY' },
              { kind: 'USER', unit: 'EVENTS', amount: 0, period: 'DAY' },
            ],
          },
          { trigger: { type: 'CUSTOM', name: 'no_such' }, actions: [] },
        ],
        goals: [{ type: 'POINTS_REDEEMED', target: 1 }],
      },
      [
        '/flows/0/actions/0: has to be an object',
        '/flows/0/actions/1/pointsPerDollar: is not known here: is it misspelt, or in the wrong place?',
        '/flows/0/conditionGroups/0/conditions/0/attribute: has to be one of GEOGRAPHY, TOTAL_SPEND, BASKET_SIZE, TIME_ELAPSED, CUSTOM',
        '/flows/0/limits/0/bound: has to be MAXIMUM',
        expect.stringMatching(/^\/flows\/1\/trigger\/name: The partnership has no trigger “no_such”/),
        expect.stringMatching(/^\/endsAt: The end has to be after the start/),
        '/flows/0/actions/1/pointsPerDollarBp: A purchase is rewarded by the dollar: pointsPerDollarBp is missing',
        '/flows/0/actions/2/pointsPerDollarBp: A rate of 0 rewards nothing',
        '/flows/0/conditionGroups/1/conditions/0: Nothing is less than 0 cents',
        '/flows/0/limits/1/amount: A maximum of 0 rewards nobody',
        '/flows/1/actions: Without an action the flow rewards nothing: add at least one',
        '/goals/0/type: An EARN campaign cannot reach a goal of POINTS_REDEEMED',
        '/endsAt: lies in the past',
      ],
    ],
    [
      'and nothing that is only missing because it cannot be understood',
      {
        ...earn,
        startsAt: 'soon',
        endsAt: inAnHour(),
        flows: [
          {
            trigger: { type: 'SPEND' },
            actions: [{ kind: 'AWARD' }],
            limits: [{ kind: 'USER', unit: 'POINTS', amount: 5, period: 'DAY' }],
          },
          { trigger: {}, actions: [{ ...award, pointsPerDollarBp: 0 }] },
        ],
      },
      [
        '/startsAt: has to be an instant with its offset from UTC, such as 2026-11-20T09:30:00Z or 2026-11-20T09:30:00-05:00',
        '/flows/0/actions/0/kind: has to be one of AWARD_POINTS, REDEEM_POINTS, AWARD_CASHBACK, TRANSFER_POINTS',
        '/flows/1/trigger/type: is missing: it is one of SPEND, REGISTRATION, REFERRAL, CUSTOM',
      ],
    ],
    [
      'nor what is wrong for one type only, when that is not known',
      {
        ...earn,
        type: 'SPEND',
        flows: [{ trigger: { type: 'REFERRAL' }, actions: [] }],
        endsAt: '2020-01-01T00:00:00Z',
      },
      [
        '/type: has to be one of EARN, REDEEM, CONNECT_ONLY, TRANSFER',
        expect.stringMatching(/^\/endsAt: The end has to be after the start/),
        '/endsAt: lies in the past',
      ],
    ],
  ])('are all told at once: %s', async (_, content, faults) => {
    expect(await faultsOf(content)).toEqual(faults);
  });

  it.each<[string, object, string]>([
    [
      'a trigger that the partnership does not have, by its id',
      { type: 'CUSTOM', customTriggerId: 999 },
      '/flows/0/trigger/customTriggerId: The partnership has no trigger 999: flows may begin with ',
    ],
    [
      'and by its name',
      { type: 'CUSTOM', name: 'signup' },
      '/flows/0/trigger/name: The partnership has no trigger “signup”: flows may begin with ',
    ],
  ])('are told of %s', async (_, trigger, fault) => {
    const { name, customTriggerId } = await signup();
    expect(await faultsOf(flow({ trigger, actions: [signupBonus] }))).toEqual([`${fault}${customTriggerId} (${name})`]);
  });

  it('are told of a transfer with a program that the merchant has no partnership with', async () => {
    const { platform } = world;
    const other = await provisionOrganisation(platform, { name: 'Harbour Hotels', kind: 'PARTNER' });
    const action = {
      kind: 'TRANSFER_POINTS',
      fromPartnerId: 2,
      toPartnerId: other.id,
      conversionRateBp: 9,
      increment: 1,
    };
    const content = { ...flow({ actions: [action] }), type: 'TRANSFER' };
    expect(await faultsOf(content)).toEqual([
      `/flows/0/actions/0/toPartnerId: The merchant has no partnership with a partner ${other.id}`,
    ]);

    const sides = { merchantId: world.demo.merchant.id, partnerId: other.id };
    await provisionPartnership(platform, { name: 'Corner Coffee × Harbour Hotels', description: null, ...sides });
    expect(await draft(content)).toBeGreaterThan(0);
  });

  it('that is no object at all are told', async () => {
    const refused = await campaign('apply', file([]), ...merchant, '--partnership', partnership);
    expect(refusal(refused)).toMatch(/campaign.json has a fault:\n {2}the whole: has to be an object/);
  });

  it('are told of the other side’s parts, with who may change them', async () => {
    const id = await shared();
    const { document } = done(await campaign('show', id)).campaign.live;
    const [first] = document.flows;
    const theirs = first.actions.find(({ ownerId }: { ownerId: number }) => ownerId === 2);
    const mine = first.actions.find(({ ownerId }: { ownerId: number }) => ownerId === 1);
    const edit = (actions: unknown[]) => faultsOf({ ...document, flows: [{ ...first, actions }] }, ...merchant);

    expect(await edit([mine])).toEqual([
      '/flows/0/actions/1: belongs to organisation 2: it cannot be removed by another',
    ]);
    expect(await edit([mine, { ...theirs, pointsPerDollarBp: 1 }])).toEqual([
      '/flows/0/actions/1: belongs to organisation 2: it cannot be changed by another',
    ]);
    expect(await edit([mine, { ...theirs, id: 77 }])).toEqual([
      '/flows/0/actions/1/id: there is no 77 here (any more): leave the id out to make a new one',
    ]);
    expect(await faultsOf({ ...document, type: 'CONNECT_ONLY', flows: [] }, ...merchant)).toContain(
      '/type: cannot change any more: partners know the campaign as EARN',
    );
  });

  it('are told by diff, too, which changes nothing', async () => {
    const id = await draft();
    expect(refusal(await campaign('diff', file({}), ...merchant, '--campaign', id))).toMatch(/\/name: is missing/);
    const { differences } = done(
      await campaign(
        'diff',
        file({ ...earn, goals: [{ type: 'REGISTRATIONS', target: 5 }] }),
        ...merchant,
        '--campaign',
        id,
      ),
    );
    expect(differences).toEqual([
      { pointer: '/goals/0', old: null, new: { id: 3, ownerId: 1, type: 'REGISTRATIONS', target: 5 } },
    ]);
    expect(done(await campaign('show', id)).campaign.revision).toBe(1);
  });
});

describe('the life of a campaign', () => {
  it('begins with the approvals of both, and each sees what is missing', async () => {
    const id = await draft();
    const { document } = done(await campaign('show', id)).campaign.draft;
    const [flow] = document.flows;
    done(
      await campaign(
        'apply',
        file({ ...document, flows: [{ ...flow, actions: [...flow.actions, award] }] }),
        ...partner,
      ),
    );

    const first = done(await campaign('approve', id, ...merchant)).campaign;
    expect(first).toMatchObject({
      status: 'IN_REVIEW',
      draft: { missingApprovals: [2], approvals: [{ organisationId: 1 }] },
    });
    done(await campaign('reject', id, ...partner, '--reason', 'too many points'));
    expect((await admin.read('campaign', 'show', String(id))).out).toMatch(
      /rejected by Skyline Miles\s+too many points/,
    );
    done(await campaign('approve', id, ...partner));
    expect(done(await campaign('approve', id, ...merchant)).campaign).toMatchObject({ status: 'ACTIVE', draft: null });
    expect(await toldOf(id)).toEqual(['campaign_activated']);
    expect(done(await campaign('show', id, '--version', 1)).version.approvals).toHaveLength(2);
  });

  it('goes on with a pause, an early start, an end and a deletion', async () => {
    const id = await draft({ ...earn, startsAt: inAnHour() });
    expect(done(await campaign('approve', id, ...merchant)).campaign.status).toBe('SCHEDULED');
    expect(done(await campaign('activate', id, ...merchant)).campaign.status).toBe('ACTIVE');
    expect(done(await campaign('pause', id, ...partner)).campaign).toMatchObject({ status: 'PAUSED', pausedBy: 2 });
    expect(refusal(await campaign('resume', id, ...merchant))).toMatch(/organisation 2 paused campaign/);
    done(await campaign('resume', id, ...partner));
    done(await campaign('end', id, ...partner));
    expect(refusal(await campaign('delete', id, ...partner))).toMatch(/organisation 1 made campaign/);
    done(await campaign('delete', id, ...merchant));

    const told = (await toldOf(id)).filter((name) => name !== 'campaign_scheduled').toSorted();
    expect(told).toEqual([
      'campaign_activated',
      'campaign_ended',
      'campaign_updated',
      'campaign_updated',
      'campaign_updated',
    ]);
    const listed = done(await campaign('list', 'Corner Coffee')).campaigns.map((one: { id: number }) => one.id);
    expect(listed).not.toContain(id);
  });

  it('is not ended without a question, and each change is in the audit trail', async () => {
    const id = await draft();
    done(await campaign('approve', id, ...merchant));
    const end = ['campaign', 'end', String(id), ...merchant];
    const refused = await admin.person(() => 'n', ...end);
    expect(refused).toMatchObject({
      status: 1,
      asked: [expect.stringContaining(`End campaign ${id} (Spring)?`)],
    });
    expect((await admin.person(() => 'y', ...end)).out).toBe(`Ended campaign ${id}. It is ENDED.\n`);
    expect((await admin.read('audit', 'list')).out).toContain(`ended campaign ${id} as organisation 1 (Corner Coffee)`);
  });

  it('is done by the clock before anything else is', async () => {
    const endsAt = new Date(Date.now() + 400).toISOString();
    const id = await draft({ ...earn, endsAt });
    done(await campaign('approve', id, ...merchant));
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(endsAt));

    expect(refusal(await campaign('pause', id, ...merchant))).toMatch(/is ENDED: only from ACTIVE/);
    expect((await toldOf(id)).toSorted()).toEqual([
      'campaign_activated',
      'campaign_ended',
      'campaign_scheduled',
      'campaign_scheduled',
    ]);
  });

  it('is advanced by hand when the clock was lost', async () => {
    const id = await draft({ ...earn, startsAt: inAnHour() });
    done(await campaign('approve', id, ...merchant));
    done(await campaign('advance', id));
    expect(await toldOf(id)).toEqual(['campaign_scheduled', 'campaign_scheduled']);
  });

  it('is not approved when its partnership does not allow it any more', async () => {
    const sides = ['--merchant', 'Harbour Books', '--partner', 'Skyline Miles'];
    const { json } = await admin.script('partnership', 'create', 'Books × Miles', ...sides, '--cashback');
    const cashback = { ...earn.flows[0], actions: [{ kind: 'AWARD_CASHBACK', shareBp: 100 }] };
    const content = file({ ...earn, flows: [cashback] });
    const made = done(await campaign('apply', content, ...partner, '--partnership', 'Books × Miles'));
    const found = await world.platform.campaigns.findPartnership(json.partnership.uuid);
    if (found) await world.platform.table.write(partnershipWrite({ ...found, allowsCashback: false }));

    expect(refusal(await campaign('approve', made.campaign.id, ...partner))).toMatch(
      /the next version has a fault:\n.*does not allow cashback/,
    );
  });

  it('is not approved when what it waits for is not taken any more', async () => {
    const trigger = { name: 'shop_visited', description: null, contextSchema: { fields: {} } };
    const apply = (more: object) =>
      admin.script('trigger', 'apply', partnership, temporaryFile('trigger.json', { ...trigger, ...more }));
    done(await apply({}));
    const waiting = { trigger: { type: 'CUSTOM', name: 'shop_visited' }, actions: [signupBonus] };
    const id = await draft({ ...earn, flows: [waiting] });
    done(await apply({ isActive: false }));

    expect(refusal(await campaign('approve', id, ...merchant))).toMatch(
      /the next version has a fault:\n.*Trigger \d+ \(shop_visited\) is not active/,
    );
    done(await apply({ isActive: true }));
    done(await campaign('approve', id, ...merchant));
  });

  it('may go back: a next version is given up', async () => {
    const id = await shared();
    const { document } = done(await campaign('show', id)).campaign.live;
    done(await campaign('apply', file({ ...document, name: 'Not this' }), ...partner));
    expect(done(await campaign('discard', id, ...merchant)).campaign).toMatchObject({ status: 'ACTIVE', draft: null });
  });
});

describe('copies', () => {
  it('duplicate makes a draft with the same parts of the same owners', async () => {
    const id = await shared();
    const { campaign: copy } = done(await campaign('duplicate', id, ...merchant));
    const original = done(await campaign('show', id)).campaign.live.document;
    expect(copy).toMatchObject({
      status: 'DRAFT',
      draft: { missingApprovals: [1, 2], document: { name: 'Copy of Spring', flows: original.flows } },
    });
  });

  it('a template is made of a campaign, and campaigns of a template, all parts their maker’s', async () => {
    const id = await shared({ goals: [{ type: 'POINTS_EARNED', target: 9 }] });
    const { template } = done(await admin.script('template', 'create', String(id), ...partner));
    const ownersOf = ({
      flows,
      goals,
    }: {
      flows: { actions: { ownerId: number }[] }[];
      goals: { ownerId: number }[];
    }) => new Set([...(flows[0]?.actions ?? []), ...goals].map(({ ownerId }) => ownerId));
    expect(ownersOf(template)).toEqual(new Set([2]));

    const use = ['template', 'use', String(template.id), '--partnership', partnership] as const;
    expect(refusal(await admin.script(...use, ...merchant))).toMatch(/organisation 1 is offered no template/);
    const { campaign: made } = done(await admin.script(...use, ...partner));
    expect(made).toMatchObject({
      status: 'DRAFT',
      draft: { templateId: template.id, missingApprovals: [2], document: { endsAt: null } },
    });
    expect(done(await campaign('approve', made.id, ...partner)).campaign.status).toBe('ACTIVE');
  });

  it('of what the platform offers belong to whoever makes them', async () => {
    const { templates } = done(await admin.script('template', 'list', 'Corner Coffee'));
    const offered = templates.find(({ ownerId }: { ownerId: number }) => ownerId === 0);
    const { campaign: made } = done(
      await admin.script('template', 'use', String(offered.id), ...merchant, '--partnership', partnership),
    );
    expect(made.draft.missingApprovals).toEqual([1]);
    expect((await admin.read('template', 'list', 'Corner Coffee')).out).toContain('the platform');
  });
});
