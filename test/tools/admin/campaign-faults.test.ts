import { describe, expect, it } from 'vitest';
import { createPartnership } from '../../../shared/operations/partnership/manage-partnership.ts';
import { expectTexts, type TitledText } from '../../support/expected-texts.ts';
import { provisionOrganisation } from '../../support/provision.ts';
import {
  award,
  campaign,
  done,
  draft,
  earn,
  file,
  inAnHour,
  merchant,
  partnership,
  refusal,
  shared,
  signup,
  signupBonus,
  useCampaigns,
  world,
} from './campaign-commands.ts';

useCampaigns();

describe('the faults of a campaign file', () => {
  const faultsOf = async (content: unknown, ...args: (string | number)[]) => {
    const where = args.length > 0 ? args : [...merchant, '--partnership', partnership];
    const [heading, ...lines] = refusal(await campaign('apply', file(content), ...where)).split('\n');
    expect(heading).toMatch(/has (a fault|\d+ faults):$/);
    // Removes the advice after each fault. dead-ends.test.ts tests the advice.
    return lines.map((line) => line.trim().replace(/ \(npm run admin -- .*\)$/, ''));
  };
  const steady = (fault: string) => fault.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z(?!,? or)/g, '2026-11-20T09:30:00.000Z');
  const flow = (more: object) => ({ ...earn, flows: [{ ...earn.flows[0], ...more }] });

  it('are reported together', async () => {
    const files: readonly (readonly [string, unknown])[] = [
      ['an empty document', {}],
      ['misspelt fields', { ...earn, nam: 1, flows: [{ ...earn.flows[0], limit: [] }] }],
      [
        'values of the wrong kind',
        { ...flow({ actions: [{ kind: 'AWARD' }, { ...award, pointsPerDollarBp: 0.57 }] }), name: '' },
      ],
      ['instants without an offset', { ...earn, startsAt: '2030-01-01', endsAt: 5 }],
      ['an icon of an unknown kind', { ...earn, logo: 'http://example.com/icon.gif' }],
      ['an impossible schedule', { ...earn, startsAt: '2020-01-02T00:00:00Z', endsAt: '2020-01-01T00:00:00+00:00' }],
      ['an action of another type', flow({ actions: [{ kind: 'REDEEM_POINTS', pointValueMicros: 10_000 }] })],
      ['new parts with another owner', flow({ actions: [{ ...award, ownerId: 2 }] })],
      [
        'faults of the schema together with faults of the rules',
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
      ],
      [
        'a fault whose consequences are left out',
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
      ],
      [
        'an unknown campaign type, without the rules of any type',
        {
          ...earn,
          type: 'SPEND',
          flows: [{ trigger: { type: 'REFERRAL' }, actions: [] }],
          endsAt: '2020-01-01T00:00:00Z',
        },
      ],
    ];
    const texts: TitledText[] = [];
    for (const [title, content] of files) texts.push([title, (await faultsOf(content)).map(steady)]);
    await expectTexts('words/campaign-faults.txt', texts);
  });

  it.each<[string, object, string]>([
    [
      'an unknown id of a trigger',
      { type: 'CUSTOM', customTriggerId: 999 },
      '/flows/0/trigger/customTriggerId: The partnership has no trigger 999: flows may begin with ',
    ],
    [
      'an unknown name of a trigger',
      { type: 'CUSTOM', name: 'signup' },
      '/flows/0/trigger/name: The partnership has no trigger “signup”: flows may begin with ',
    ],
  ])('include %s', async (_, trigger, fault) => {
    const { name, customTriggerId } = await signup();
    expect(await faultsOf(flow({ trigger, actions: [signupBonus] }))).toEqual([`${fault}${customTriggerId} (${name})`]);
  });

  it('include a transfer to a partner without a partnership', async () => {
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
    await createPartnership({ name: 'Corner Coffee × Harbour Hotels', description: null, ...sides }, platform);
    expect(await draft(content)).toBeGreaterThan(0);
  });

  it('include a document that is not an object', async () => {
    const refused = await campaign('apply', file([]), ...merchant, '--partnership', partnership);
    expect(refusal(refused)).toMatch(/campaign.json has a fault:\n {2}the whole: has to be an object/);
  });

  it('include changes to parts of the other side', async () => {
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

  it('include schema faults together with changes to parts of the other side', async () => {
    const id = await shared();
    const { document } = done(await campaign('show', id)).campaign.live;
    const [first] = document.flows;
    const theirs = first.actions.find(({ ownerId }: { ownerId: number }) => ownerId === 2);
    const mine = first.actions.find(({ ownerId }: { ownerId: number }) => ownerId === 1);
    const actions = [
      { ...mine, pointsPerDollar: 1 },
      { ...theirs, pointsPerDollarBp: 1 },
    ];

    expect(await faultsOf({ ...document, nam: 1, flows: [{ ...first, actions }] }, ...merchant)).toEqual([
      '/flows/0/actions/0/pointsPerDollar: is not known here: is it misspelt, or in the wrong place?',
      '/nam: is not known here: is it misspelt, or in the wrong place?',
      expect.stringMatching(/^\/flows\/0\/actions\/1: belongs to organisation 2: it cannot be changed by another/),
    ]);
    // Only the schema fault is reported: when the unknown field is removed, the other side's part is unchanged.
    expect(
      await faultsOf({ ...document, flows: [{ ...first, actions: [mine, { ...theirs, rate: 1 }] }] }, ...merchant),
    ).toEqual(['/flows/0/actions/1/rate: is not known here: is it misspelt, or in the wrong place?']);
  });

  it('are also reported by `campaign diff`', async () => {
    const id = await draft();
    expect(refusal(await campaign('diff', file({}), ...merchant, '--campaign', id))).toMatch(/\/name: is missing/);
    const goal = { type: 'REGISTRATIONS', target: 5 };
    const { differences } = done(
      await campaign('diff', file({ ...earn, goals: [goal] }), ...merchant, '--campaign', id),
    );
    expect(differences).toEqual([
      { pointer: '/goals/0', old: null, new: { id: 3, ownerId: 1, type: 'REGISTRATIONS', target: 5 } },
    ]);
    expect(done(await campaign('show', id)).campaign.revision).toBe(1);
  });
});
