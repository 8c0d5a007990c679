import { describe, expect, it } from 'vitest';
import { draftCampaign, duplicate } from '../../shared/domain/campaign/authoring/new-campaign.ts';
import { numberParts } from '../../shared/domain/campaign/authoring/number-parts.ts';
import { beforeEdit } from '../../shared/domain/campaign/authoring/read-document.ts';
import {
  approve,
  discard,
  edit,
  findOwnershipFaults,
  findScheduleFaults,
} from '../../shared/domain/campaign/authoring/review.ts';
import {
  firstFreeId,
  type Json,
  ownedBy,
  ownersOfParts,
  placesOf,
} from '../../shared/domain/campaign/document/tree.ts';
import {
  approved,
  asDocument,
  drafted,
  edited,
  merchant,
  own,
  partner,
  reasonOf,
  shared,
  stranger,
  written,
} from './campaign-fixtures.ts';
import { aPartnership, noon } from './fixtures.ts';

const at = (minutes: number) => new Date(noon.getTime() + minutes * 60_000).toISOString();
const byMerchant = { organisationId: merchant, now: noon };
const byPartner = { organisationId: partner, now: noon };

describe('edit()', () => {
  const running = own({ status: 'ACTIVE', version: 4 });
  const renamed = { document: asDocument(running, { name: 'New' }), nextPartId: 9 };

  it('creates a next version and does not change the live version', () => {
    const campaign = approved(running);
    const change = written(edit(campaign, renamed, byMerchant));
    expect(change.live).toBe(campaign.live);
    expect(change.events).toEqual([]);
    expect(change.record).toMatchObject({
      nextPartId: 9,
      draft: { campaign: { name: 'New', version: 5, status: 'DRAFT' } },
    });
  });

  it('removes the approvals of a version that is IN_REVIEW, and leaves the version IN_REVIEW', () => {
    const change = written(edit(edited(running, {}, [merchant]), renamed, byPartner));
    expect(change.record.draft).toMatchObject({
      campaign: { name: 'New', version: 5, status: 'IN_REVIEW' },
      approvals: [],
    });
  });

  it('keeps the reason for which a draft was rejected', () => {
    const rejection = { organisationId: partner, reason: 'too generous', at: at(-5) };
    const campaign = drafted(own({ status: 'DRAFT' }));
    const draft = campaign.record.draft && { ...campaign.record.draft, rejection };
    const change = written(edit({ ...campaign, record: { ...campaign.record, draft } }, renamed, byMerchant));
    expect(change.record.draft?.rejection).toEqual(rejection);
  });

  it('refuses an ended campaign, and an organisation on neither side of the partnership', () => {
    expect(reasonOf(edit(approved(own({ status: 'ENDED' })), renamed, byPartner))).toMatch(/ENDED: duplicate it/);
    expect(reasonOf(edit(approved(running), renamed, { ...byPartner, organisationId: stranger }))).toMatch(
      /neither side/,
    );
  });

  it('creates a next version that can be discarded unless it is IN_REVIEW', () => {
    const inWork = written(edit(approved(running), renamed, byMerchant));
    expect(written(discard(inWork, byPartner)).record.draft).toBeNull();
    expect(reasonOf(discard(edited(running, {}), byPartner))).toMatch(/IN_REVIEW: reject it first/);
    expect(reasonOf(discard(drafted(own({ status: 'DRAFT' })), byPartner))).toMatch(/delete the campaign instead/);
    expect(reasonOf(discard(approved(running), byPartner))).toMatch(/has no next version/);
  });
});

describe('findScheduleFaults()', () => {
  const codesOf = (faults: ReturnType<typeof findScheduleFaults>) =>
    faults.map(({ pointer, code }) => `${pointer} ${code}`);
  const document = (startsAt: string, endsAt: string | null = null, more = {}) =>
    asDocument(own({ startsAt, endsAt, ...more }));
  const running = approved(own({ status: 'ACTIVE', startsAt: at(-60), endsAt: at(-1) }));
  const scheduled = approved(own({ status: 'SCHEDULED', startsAt: at(60), endsAt: null }));

  it.each([
    ['a new campaign that starts now (no fault)', null, document(at(0)), []],
    ['a new campaign that starts in the past', null, document(at(-1)), ['/startsAt in_the_past']],
    [
      'a new campaign that starts and ends in the past',
      null,
      document(at(-5), at(-1)),
      ['/startsAt in_the_past', '/endsAt in_the_past'],
    ],
    ['a running campaign with an unchanged schedule (no fault)', running, document(at(-60), at(-1)), []],
    ['a running campaign with a changed start', running, document(at(60), at(90)), ['/startsAt campaign_has_begun']],
    [
      'a running campaign whose changed end is in the past',
      running,
      document(at(-60), at(-2)),
      ['/endsAt in_the_past'],
    ],
    [
      'a running campaign with a changed type',
      running,
      document(at(-60), at(-1), { type: 'REDEEM' }),
      ['/type type_is_fixed'],
    ],
    ['a scheduled campaign with a changed start (no fault)', scheduled, document(at(5)), []],
    [
      'a scheduled campaign with a changed type',
      scheduled,
      document(at(60), null, { type: 'REDEEM' }),
      ['/type type_is_fixed'],
    ],
    [
      'a draft with a changed type (no fault)',
      drafted(own({ status: 'DRAFT', startsAt: at(-5) })),
      document(at(-5), null, { type: 'REDEEM' }),
      [],
    ],
  ])('returns the faults of a schedule for %s', (_, campaign, written, faults) => {
    expect(codesOf(findScheduleFaults(written, campaign && beforeEdit(campaign), noon))).toEqual(faults);
  });
});

/** A document with a part of each kind, as a person writes it. */
const file: Json = {
  name: 'Everything',
  flows: [
    {
      trigger: { type: 'SPEND' },
      actions: [{ kind: 'AWARD_POINTS', pointsPerDollarBp: 10_000 }],
      multipliers: [{ attribute: 'CUSTOMER_STATUS', factorBp: 15_000 }],
      conditionGroups: [{ logic: 'ANY', conditions: [{ attribute: 'BASKET_SIZE', amountCents: 100 }] }],
      limits: [{ kind: 'USER', bound: 'MAXIMUM', unit: 'EVENTS', period: 'DAY', amount: 3 }],
    },
  ],
  goals: [{ type: 'POINTS_EARNED', target: 1000 }],
};
const numbered = numberParts(file, null, { organisationId: merchant, nextPartId: 1 });
const stored = numbered.document;

/** The file with something changed in its only flow. */
function withFlow(more: Json, base: Json = file): Json {
  const [flow] = base.flows as Json[];
  return { ...base, flows: [{ ...flow, ...more }] };
}
const again = (written: Json, organisationId = merchant) =>
  numberParts(written, stored, { organisationId, nextPartId: numbered.nextPartId });
const idsOf = (document: Json) =>
  placesOf(document).map(({ list, value }) => `${list.replaceAll(/\/\d+/g, '')} ${value.id}`);

describe('numberParts()', () => {
  it('gives each part a unique id and makes the editing organisation its owner', () => {
    expect(idsOf(stored)).toEqual([
      '/flows 1',
      '/flows/actions 2',
      '/flows/multipliers 3',
      '/flows/limits 4',
      '/flows/conditionGroups 5',
      '/flows/conditionGroups/conditions 6',
      '/goals 7',
    ]);
    expect(numbered).toMatchObject({ nextPartId: 8, faults: [] });
    expect(firstFreeId(stored)).toBe(8);
    expect(ownersOfParts(stored)).toEqual([merchant]);
  });

  it('keeps the ids of parts when a file is applied twice', () => {
    expect(again(file)).toEqual({ document: stored, nextPartId: 8, faults: [] });
    expect(again(stored)).toEqual({ document: stored, nextPartId: 8, faults: [] });
  });

  it('keeps the id of a part when its amount changes', () => {
    const { document } = again(withFlow({ actions: [{ kind: 'AWARD_POINTS', pointsPerDollarBp: 30_000 }] }));
    expect(idsOf(document)).toEqual(idsOf(stored));
  });

  it('keeps the ids of parts that follow an inserted part', () => {
    const bonus = { kind: 'AWARD_POINTS', pointsPerDollarBp: 77 };
    const [{ actions }] = file.flows as [{ actions: Json[] }];
    const { document } = again(withFlow({ actions: [bonus, ...actions] }));
    expect(idsOf(document).filter((id) => id.includes('actions'))).toEqual(['/flows/actions 8', '/flows/actions 2']);
  });

  it('gives a new id to a limit whose unit changes', () => {
    const limit = { kind: 'USER', bound: 'MAXIMUM', unit: 'POINTS', period: 'DAY', amount: 3 };
    expect(idsOf(again(withFlow({ limits: [limit] })).document)).toContain('/flows/limits 8');
    expect(idsOf(again(withFlow({ limits: [{ ...limit, id: 4 }] })).document)).toContain('/flows/limits 8');
    expect(idsOf(again(withFlow({ limits: [{ ...limit, id: 4, unit: 'EVENTS', amount: 9 }] })).document)).toContain(
      '/flows/limits 4',
    );
  });

  it('never reuses the id of a removed part', () => {
    const removed = again(withFlow({ limits: [] }));
    const next = numberParts(file, removed.document, { organisationId: merchant, nextPartId: removed.nextPartId });
    expect(idsOf(next.document)).toContain('/flows/limits 8');
  });

  it('returns a fault for an unknown or repeated id', () => {
    const twice = [
      { id: 2, kind: 'AWARD_POINTS' },
      { id: 2, kind: 'AWARD_POINTS' },
      { id: 99, kind: 'AWARD_POINTS' },
    ];
    expect(again(withFlow({ actions: twice })).faults.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      '/flows/0/actions/1/id unknown_id',
      '/flows/0/actions/2/id unknown_id',
    ]);
  });

  it('ignores the ids in a file that creates another campaign', () => {
    const copied = numberParts(withFlow({ actions: [{ id: 77, kind: 'AWARD_POINTS' }] }), null, {
      organisationId: 9,
      nextPartId: 1,
    });
    expect(idsOf(copied.document)).toContain('/flows/actions 2');
    expect(copied.faults).toEqual([]);
  });

  it.each([
    ['a string', { flows: 'none' }],
    ['a list of strings', { flows: ['none'] }],
    ['missing', {}],
  ])('does not change a document whose flows are %s', (_, broken) => {
    expect(numberParts(broken, null, { organisationId: 1, nextPartId: 1 }).document).toEqual(broken);
  });
});

it('ownedBy() makes one organisation the owner of every part', () => {
  const owners = placesOf(ownedBy(stored, 42)).flatMap(({ value }) => ('ownerId' in value ? [value.ownerId] : []));
  expect(owners).toEqual([42, 42, 42, 42, 42]);
});

describe('an editor that owns no part', () => {
  const faultsOf = (edit: Json, organisationId = partner) =>
    findOwnershipFaults(stored, again(edit, organisationId).document, organisationId).map(({ pointer }) => pointer);
  const mine = { kind: 'AWARD_POINTS', pointsPerDollarBp: 5 };

  it('may add parts and rename the campaign', () => {
    const [flow] = stored.flows as [{ actions: Json[]; limits: Json[] }];
    const added = withFlow(
      { actions: [...flow.actions, mine], limits: [...flow.limits, { kind: 'TRANSACTION', amount: 5 }] },
      stored,
    );
    expect(faultsOf({ ...added, name: 'New' })).toEqual([]);
    expect(again(added, partner).document).toMatchObject({
      flows: [{ actions: [{ ownerId: merchant }, { id: 8, ownerId: partner }] }],
    });
  });

  it.each<[string, Json, string]>([
    [
      'change an action',
      withFlow({ actions: [{ id: 2, kind: 'AWARD_POINTS', pointsPerDollarBp: 1 }] }, stored),
      '/flows/0/actions/0',
    ],
    ['remove a multiplier', withFlow({ multipliers: [] }, stored), '/flows/0/multipliers/0'],
    [
      'remove the group of a condition',
      withFlow({ conditionGroups: [] }, stored),
      '/flows/0/conditionGroups/0/conditions/0',
    ],
    [
      'change how a group combines its conditions',
      withFlow({ conditionGroups: [{ ...groupOf(stored), logic: 'ALL' }] }, stored),
      '/flows/0/conditionGroups/0/logic',
    ],
    ['change the trigger of a flow', withFlow({ trigger: { type: 'REGISTRATION' } }, stored), '/flows/0/trigger'],
    ['change a limit', withFlow({ limits: [{ ...limitOf(stored), amount: 4 }] }, stored), '/flows/0/limits/0'],
    ['remove a goal', { ...stored, goals: [] }, '/goals/0'],
    [
      'make itself the owner of a goal',
      { ...stored, goals: [{ ...goalOf(stored), ownerId: partner }] },
      '/goals/0/ownerId',
    ],
  ])('may not %s', (_, edit, pointer) => {
    expect(faultsOf(edit)).toEqual([pointer]);
    expect(faultsOf(edit, merchant)).toEqual(pointer.endsWith('ownerId') ? [pointer] : []);
  });

  it('may not make another organisation the owner of a part', () => {
    const forOther = withFlow({ multipliers: [...multipliersOf(stored), { ...mine, ownerId: merchant }] }, stored);
    expect(faultsOf(forOther)).toEqual(['/flows/0/multipliers/1/ownerId']);
    expect(faultsOf({ ...stored, goals: [{ ...goalOf(stored), ownerId: partner }] }, merchant)).toEqual([
      '/goals/0/ownerId',
    ]);
  });

  it('may not move a part to another flow', () => {
    const [flow] = stored.flows as Json[];
    const moved = {
      ...stored,
      flows: [
        { ...flow, limits: [] },
        { id: 50, trigger: {}, actions: [], limits: [limitOf(stored)] },
      ],
    };
    expect(findOwnershipFaults(stored, moved, partner).map(({ pointer, message }) => `${pointer} ${message}`)).toEqual([
      '/flows/1/limits/0 belongs to organisation 1: it cannot be moved by another',
    ]);
  });

  it('gets all faults at once', () => {
    expect(faultsOf({ ...stored, flows: [], goals: [] })).toHaveLength(5);
  });
});

const flowOf = (document: Json) => (document.flows as Json[])[0] as Json;
function groupOf(document: Json): Json {
  return (flowOf(document).conditionGroups as Json[])[0] as Json;
}
function limitOf(document: Json): Json {
  return (flowOf(document).limits as Json[])[0] as Json;
}
function multipliersOf(document: Json): Json[] {
  return flowOf(document).multipliers as Json[];
}
function goalOf(document: Json): Json {
  return (document.goals as Json[])[0] as Json;
}

describe('a new campaign', () => {
  const beginning = { id: 77, partnership: aPartnership(), organisationId: merchant, now: noon };

  it('is a draft owned by its creator', () => {
    const made = draftCampaign({ document: asDocument(own()), nextPartId: 3 }, beginning);
    expect(made).toMatchObject({
      live: null,
      record: {
        id: 77,
        ownerId: merchant,
        revision: 1,
        nextPartId: 3,
        draft: { campaign: { id: 77, version: 1, status: 'DRAFT' } },
      },
    });
  });

  it('starts now when it copies an ended campaign', () => {
    const original = approved(shared({ status: 'ENDED', startsAt: at(-60), version: 7 }));
    const copy = duplicate(original, beginning);
    expect(copy?.record.draft?.campaign).toMatchObject({
      id: 77,
      version: 1,
      name: 'Copy of A point for every dollar',
      startsAt: noon.toISOString(),
      flows: original.live?.flows,
    });
    expect(copy && written(approve(copy, byMerchant)).record.draft?.campaign.status).toBe('IN_REVIEW');
  });

  it('starts when the copied draft starts, if that is in the future', () => {
    const copy = duplicate(drafted(own({ startsAt: at(60), name: 'x'.repeat(255) })), beginning);
    expect(copy?.record.draft?.campaign.startsAt).toBe(at(60));
    expect(copy?.record.draft?.campaign.name).toHaveLength(255);
  });
});
