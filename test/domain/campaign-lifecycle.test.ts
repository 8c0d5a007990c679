import { describe, expect, it } from 'vitest';
import { approversOf } from '../../shared/domain/campaign/authoring/approvers.ts';
import type { CampaignEvent, ChangeContext, Outcome } from '../../shared/domain/campaign/authoring/lifecycle.ts';
import { activate, advance, end, pause, remove, resume } from '../../shared/domain/campaign/authoring/lifecycle.ts';
import { approve, reject } from '../../shared/domain/campaign/authoring/review.ts';
import {
  type Campaign,
  type CampaignStatus,
  campaignStatesBefore,
  campaignTransitions,
  dueTimesOf,
  isRunning,
  type ManagedCampaign,
  statusOf,
} from '../../shared/domain/campaign/document/campaign.ts';
import {
  approved,
  byMerchantAlone,
  drafted,
  draftOf,
  edited,
  merchant,
  own,
  partner,
  reasonOf,
  shared,
  stranger,
  written,
} from './campaign-fixtures.ts';
import { aCampaign, aFlow, aUserLimit, earning, noon, redeeming } from './fixtures.ts';

const at = (minutes: number) => new Date(noon.getTime() + minutes * 60_000).toISOString();
const past = at(-60);
const future = at(60);
const later = at(120);
const byMerchant = { organisationId: merchant, now: noon };
const byPartner = { organisationId: partner, now: noon };

describe('the states of a campaign', () => {
  it.each<[CampaignStatus, CampaignStatus[]]>([
    ['DRAFT', ['IN_REVIEW']],
    ['IN_REVIEW', ['DRAFT']],
    ['SCHEDULED', ['DRAFT', 'IN_REVIEW']],
    ['ACTIVE', ['DRAFT', 'IN_REVIEW', 'PAUSED', 'SCHEDULED']],
    ['PAUSED', ['ACTIVE']],
    ['ENDED', ['ACTIVE', 'PAUSED', 'SCHEDULED']],
  ])('allow a change to %s only from %j', (state, before) => {
    expect(campaignStatesBefore(state).sort()).toEqual(before);
  });

  it('are all reachable from DRAFT, and no state follows ENDED', () => {
    const reached = new Set<CampaignStatus>(['DRAFT']);
    for (const state of reached) for (const next of campaignTransitions[state]) reached.add(next);

    expect([...reached].sort()).toEqual(Object.keys(campaignTransitions).sort());
    expect(campaignTransitions.ENDED).toEqual([]);
  });
});

/** An approved campaign in the given state, in which the partner owns every part. */
const live = (status: CampaignStatus): ManagedCampaign =>
  approved(own({ status, startsAt: status === 'SCHEDULED' ? future : past, endsAt: later }));

interface Row {
  readonly operation: string;
  readonly change: (campaign: ManagedCampaign, act: ChangeContext) => Outcome;
  readonly by: ChangeContext;
  readonly from: Partial<Record<CampaignStatus, readonly [CampaignStatus, ...CampaignEvent[]]>>;
}

const ended = ['ENDED', 'campaign_ended'] as const;
const operations: Row[] = [
  { operation: 'pause', change: pause, by: byMerchant, from: { ACTIVE: ['PAUSED', 'campaign_updated'] } },
  { operation: 'resume', change: resume, by: byPartner, from: { PAUSED: ['ACTIVE', 'campaign_updated'] } },
  { operation: 'activate', change: activate, by: byPartner, from: { SCHEDULED: ['ACTIVE', 'campaign_activated'] } },
  { operation: 'end', change: end, by: byMerchant, from: { SCHEDULED: ended, ACTIVE: ended, PAUSED: ended } },
  { operation: 'remove', change: remove, by: byPartner, from: { ENDED: ['ENDED', 'campaign_updated'] } },
];
const statuses = ['SCHEDULED', 'ACTIVE', 'PAUSED', 'ENDED'] as const;
const rows = operations.flatMap((row) => statuses.map((status) => ({ ...row, status })));

describe('a campaign', () => {
  it.each(rows)(
    'in state $status performs or refuses the operation "$operation", as expected',
    ({ change, by, from, status }) => {
      const campaign = live(status);
      const outcome = change(campaign, by);
      const expected = from[status];
      if (!expected) return expect(reasonOf(outcome)).toMatch(new RegExp(`campaign 5 is ${status}`));

      const { live: after, events, record } = written(outcome);
      expect([after?.status, ...events]).toEqual(expected);
      expect(record.revision).toBe(campaign.record.revision + 1);
      if (after?.status !== status) expect(campaignTransitions[status]).toContain(after?.status);
    },
  );

  it.each(rows)(
    'in state $status refuses the operation "$operation" to an organisation on neither side of the partnership',
    ({ status, change }) => {
      const outcome = change(live(status), { organisationId: stranger, now: noon });
      expect(reasonOf(outcome)).toMatch(/organisation 3 is on neither side/);
    },
  );

  it('starts at once when it is activated early', () => {
    const started = written(activate(live('SCHEDULED'), byPartner));
    expect(started.live).toMatchObject({ status: 'ACTIVE', startsAt: noon.toISOString(), endsAt: later });
  });

  it('cannot be activated early when another organisation has to approve its start', () => {
    const campaign = approved(shared({ status: 'SCHEDULED', startsAt: future }));
    expect(reasonOf(activate(campaign, byPartner))).toMatch(/edit its start, so that organisation 1 can approve it/);
  });

  it('passes an early start on to its draft, unless the draft changes the start', () => {
    const scheduled = own({ status: 'SCHEDULED', startsAt: future });
    const startOf = (campaign: ManagedCampaign) =>
      written(activate(campaign, byPartner)).record.draft?.campaign.startsAt;
    expect(startOf(edited(scheduled, { name: 'Other' }))).toBe(noon.toISOString());
    expect(startOf(edited(scheduled, { startsAt: later }))).toBe(later);
  });

  it('takes the approvals of a draft away when it passes an early start on: they were given to the later start', () => {
    const scheduled = byMerchantAlone({ status: 'SCHEDULED', startsAt: future, flows: [] });
    const review = edited(scheduled, { flows: byMerchantAlone().flows }, [partner]);
    const started = written(activate(review, byMerchant));
    expect(started.record.draft).toMatchObject({ campaign: { status: 'IN_REVIEW' }, approvals: [] });
    expect(written(approve(started, byMerchant)).live?.flows, 'the partner has not approved the early start').toEqual(
      [],
    );
  });

  it('loses its draft when it is ended, and a future end becomes now', () => {
    const running = own({ status: 'ACTIVE', endsAt: later });
    expect(written(end(edited(running, {}), byPartner))).toMatchObject({
      live: { endsAt: noon.toISOString() },
      record: { draft: null },
    });
    expect(written(end(approved({ ...running, endsAt: past }), byPartner)).live?.endsAt).toBe(past);
  });

  it('rewards every event except those within its pauses', () => {
    const when = (minutes: number): ChangeContext => ({ organisationId: merchant, now: new Date(at(minutes)) });
    const changes = [pause, resume, pause, resume, pause, end];
    let campaign = live('ACTIVE');
    const states = changes.map((change, index) => {
      campaign = written(change(campaign, when(index * 10)));
      return campaign;
    });
    const final = states.at(-1)?.live;

    expect(final).toMatchObject({ status: 'ENDED', endsAt: at(50) });
    expect(final?.pauses).toEqual([
      { from: at(0), to: at(10) },
      { from: at(20), to: at(30) },
      { from: at(40), to: null },
    ]);
    const answers = [-1, 0, 9, 10, 19, 20, 29, 30, 39, 40, 49, 50].map((minutes) =>
      states.map((state) => state.live && isRunning(state.live, new Date(at(minutes)))),
    );
    // Each row is an instant, each column the state after one change. No change alters the answers about earlier instants.
    const [yes, no] = [true, false];
    expect(answers).toEqual([
      [yes, yes, yes, yes, yes, yes],
      [no, no, no, no, no, no],
      [no, no, no, no, no, no],
      [no, yes, yes, yes, yes, yes],
      [no, yes, yes, yes, yes, yes],
      [no, yes, no, no, no, no],
      [no, yes, no, no, no, no],
      [no, yes, no, yes, yes, yes],
      [no, yes, no, yes, yes, yes],
      [no, yes, no, yes, no, no],
      [no, yes, no, yes, no, no],
      [no, yes, no, yes, no, no],
    ]);
  });

  it('can be deleted only by the side that made it', () => {
    expect(reasonOf(remove(live('ENDED'), byMerchant))).toMatch(/only organisation 2, which made campaign 5/);
    const deleted = written(remove(live('ENDED'), byPartner));
    expect(deleted).toMatchObject({ live: { isDeleted: true }, record: { isDeleted: true } });
    expect(reasonOf(remove(deleted, byPartner))).toBe('campaign 5 is deleted');
  });

  it('can be deleted in state DRAFT, but not in state IN_REVIEW', () => {
    const deleted = written(remove(drafted(own({ status: 'DRAFT' })), byPartner));
    expect(deleted).toMatchObject({ live: null, events: [], record: { isDeleted: true } });
    expect(reasonOf(remove(drafted(own({ status: 'IN_REVIEW' })), byPartner))).toMatch(
      /IN_REVIEW: only a DRAFT or an ENDED/,
    );
  });
});

describe('advance() and dueTimesOf()', () => {
  const scheduled = (more = {}) => own({ status: 'SCHEDULED', startsAt: at(0), endsAt: at(10), ...more });
  const rowsOfClock: [string, Parameters<typeof own>[0], number, CampaignStatus | undefined, CampaignEvent[]][] = [
    ['a millisecond before the start', {}, -1, undefined, []],
    ['at the start', {}, 0, 'ACTIVE', ['campaign_activated']],
    ['long after the start, without an end', { endsAt: null }, 86_400_000, 'ACTIVE', ['campaign_activated']],
    ['a millisecond before the end', { status: 'ACTIVE' }, 599_999, undefined, []],
    ['at the end', { status: 'ACTIVE' }, 600_000, 'ENDED', ['campaign_ended']],
    ['at the end of a paused campaign', { status: 'PAUSED' }, 600_000, 'ENDED', ['campaign_ended']],
    ['after both start and end were missed', {}, 700_000, 'ENDED', ['campaign_activated', 'campaign_ended']],
    ['after the campaign was ended', { status: 'ENDED' }, 700_000, undefined, []],
    ['after the campaign was deleted', { isDeleted: true }, 700_000, undefined, []],
  ];

  it.each(rowsOfClock)(
    'advance() returns the expected change of a campaign, if any, %s',
    (_, more, afterStartMs, status, events) => {
      const change = advance(approved(scheduled(more)), new Date(noon.getTime() + afterStartMs));
      expect(change?.live?.status).toBe(status);
      expect(change?.events ?? []).toEqual(events);
    },
  );

  it('advance() returns no change when it is called a second time', () => {
    const started = advance(approved(scheduled()), noon);
    expect(started && advance(started, noon)).toBeUndefined();
  });

  it('advance() returns no change for a campaign without a live version', () => {
    expect(advance(drafted(scheduled({ status: 'IN_REVIEW' })), new Date(at(5)))).toBeUndefined();
  });

  it.each<[CampaignStatus, { start: string | null; end: string | null }]>([
    ['SCHEDULED', { start: at(0), end: at(10) }],
    ['ACTIVE', { start: null, end: at(10) }],
    ['PAUSED', { start: null, end: at(10) }],
    ['ENDED', { start: null, end: null }],
  ])('dueTimesOf() returns the start and end that a campaign in state %s has not reached', (status, due) => {
    expect(dueTimesOf(scheduled({ status }))).toEqual(due);
    expect(dueTimesOf(scheduled({ status, isDeleted: true }))).toEqual({ start: null, end: null });
  });
});

describe("a campaign's first review", () => {
  const draft = (more = {}) => drafted(shared({ status: 'DRAFT', startsAt: future, ...more }));

  it('is skipped when the approving organisation owns every action', () => {
    const outcome = written(approve(drafted(own({ status: 'DRAFT', startsAt: future })), byPartner));
    expect(outcome).toMatchObject({
      live: { status: 'SCHEDULED', version: 1, startsAt: future },
      record: { draft: null },
      events: [],
    });
    expect(outcome.approved?.approvals).toEqual([{ organisationId: partner, at: noon.toISOString() }]);
  });

  it('is skipped when the creator approves a campaign without actions', () => {
    const connectOnly = own({ type: 'CONNECT_ONLY', status: 'DRAFT', startsAt: past, flows: [] });
    expect(written(approve(drafted(connectOnly), byPartner)).live?.status).toBe('ACTIVE');
    expect(statusOf({ ...written(approve(drafted(connectOnly), byMerchant)) })).toBe('IN_REVIEW');
  });

  it('begins with the first approval and ends with the last', () => {
    const first = written(approve(draft(), byMerchant));
    expect(first).toMatchObject({ live: null, record: { draft: { campaign: { status: 'IN_REVIEW' } } }, events: [] });

    expect(reasonOf(approve(first, byMerchant))).toMatch(/has approved already; missing: organisation 2/);
    expect(written(approve(first, byPartner))).toMatchObject({ live: { status: 'SCHEDULED' }, events: [] });
  });

  it('can be started by a side that is no approver', () => {
    const begun = written(approve(drafted(own({ status: 'DRAFT' })), byMerchant));
    expect(statusOf(begun)).toBe('IN_REVIEW');
    expect(reasonOf(approve(drafted(own({ status: 'IN_REVIEW' })), byMerchant))).toMatch(
      /organisation 1 does not have to approve it; missing: organisation 2/,
    );
  });

  it('starts the campaign at once if the planned start has passed', () => {
    const both = { ...draft({ startsAt: past }) };
    const started = written(approve(written(approve(both, byMerchant)), byPartner));
    expect(started.live).toMatchObject({ status: 'ACTIVE', startsAt: noon.toISOString() });
    expect(started.events).toEqual(['campaign_activated']);
  });

  it('refuses the last approval after the planned end of the campaign', () => {
    expect(reasonOf(approve(drafted(own({ endsAt: at(0) })), byPartner))).toMatch(/its end, .* is over/);
  });

  it('can end with a rejection and start again', () => {
    const first = written(approve(draft(), byMerchant));
    expect(reasonOf(reject(first, ' ', byPartner))).toMatch(/needs a reason/);
    const rejected = written(reject(first, 'too generous', byPartner));
    expect(rejected.record.draft).toMatchObject({
      campaign: { status: 'DRAFT' },
      approvals: [],
      rejection: { organisationId: partner, reason: 'too generous', at: noon.toISOString() },
    });
    expect(reasonOf(reject(rejected, 'again', byPartner))).toMatch(/campaign 5 is DRAFT: there is no review/);
    expect(written(approve(rejected, byPartner)).record.draft).toMatchObject({
      approvals: [{ organisationId: partner }],
      rejection: null,
    });
  });

  it('refuses organisations on neither side of the partnership', () => {
    const by = { organisationId: stranger, now: noon };
    expect(reasonOf(approve(draft(), by))).toMatch(/neither side/);
    expect(reasonOf(reject(draft(), 'no', by))).toMatch(/neither side/);
  });
});

describe("a campaign's next review", () => {
  const running = shared({ status: 'ACTIVE', version: 4, startsAt: past });

  it.each(['ACTIVE', 'PAUSED'] as const)('replaces the live version and keeps the state %s', (status) => {
    const campaign = edited({ ...running, status }, { name: 'New' }, [merchant]);
    const change = written(approve(campaign, byPartner));
    expect(change).toMatchObject({
      live: { name: 'New', version: 5, status, startsAt: past },
      record: { draft: null },
      events: ['campaign_updated'],
      approved: { campaign: { version: 5 }, approvals: [{ organisationId: merchant }, { organisationId: partner }] },
    });
  });

  it('keeps a pause that began after the draft was made', () => {
    const campaign = edited({ ...running, status: 'PAUSED', pauses: [{ from: past, to: null }] }, { pauses: [] }, [
      merchant,
    ]);
    expect(written(approve(campaign, byPartner)).live).toMatchObject({
      name: running.name,
      status: 'PAUSED',
      pauses: [{ from: past, to: null }],
    });
  });

  it('does not change the live version before the last approval', () => {
    const campaign = edited(running, { name: 'New' });
    const first = written(approve(campaign, byMerchant));
    expect(first.live).toBe(campaign.live);
    expect(first.events).toEqual([]);
    expect(written(reject(first, 'no', byPartner)).live).toBe(campaign.live);
  });

  it('can change the start of a SCHEDULED campaign', () => {
    const scheduled = own({ status: 'SCHEDULED', startsAt: future });
    expect(written(approve(edited(scheduled, { startsAt: later }), byPartner))).toMatchObject({
      live: { status: 'SCHEDULED', startsAt: later },
      events: ['campaign_updated'],
    });
    expect(written(approve(edited(scheduled, { startsAt: past }), byPartner))).toMatchObject({
      live: { status: 'ACTIVE', startsAt: noon.toISOString() },
      events: ['campaign_updated', 'campaign_activated'],
    });
  });

  it('keeps the scheduled start when the last approval comes after that start', () => {
    const due = own({ status: 'SCHEDULED', startsAt: past });
    expect(written(approve(edited(due, { name: 'New' }), byPartner)).live).toMatchObject({
      status: 'ACTIVE',
      startsAt: past,
    });
  });

  it.each([
    ['a changed start of a running campaign', running, { startsAt: later }, /which cannot change any more/],
    [
      'a changed start of a scheduled campaign whose start has passed',
      own({ status: 'SCHEDULED', startsAt: past }),
      { startsAt: later },
      /cannot change any more/,
    ],
    ['an end in the past', running, { endsAt: past }, /is over: edit the schedule/],
    ['a campaign that ended during the review', own({ status: 'ENDED' }), {}, /has ENDED meanwhile/],
  ] as const)('refuses the last approval because of %s', (_, before, more, reason) => {
    expect(reasonOf(approve(edited(before, more, [merchant]), byPartner))).toMatch(reason);
  });

  it('needs the approval of the partner whose points are awarded', () => {
    const campaign = edited(byMerchantAlone({ status: 'ACTIVE', version: 4, startsAt: past }), { name: 'New' });
    const first = written(approve(campaign, byMerchant));
    expect(first.live).toBe(campaign.live);
    expect(written(approve(first, byPartner))).toMatchObject({ live: { name: 'New', version: 5 } });
  });

  it('needs the approval of every owner of a part', () => {
    const one = own({ status: 'ACTIVE' });
    const campaign = approved(one, draftOf({ ...shared(), version: 2, status: 'DRAFT' }));
    expect(written(approve(campaign, byPartner)).record.draft?.campaign.status).toBe('IN_REVIEW');
  });
});

describe('the approvers of a version', () => {
  const [other, third] = [4, 5];
  const flowOf = (actions: Campaign['flows'][number]['actions'], more: Partial<Campaign['flows'][number]> = {}) => ({
    flows: [{ ...aFlow(actions), ...more }],
  });
  const byTheMerchant = { ownerId: merchant, id: 2 };
  const limit = aUserLimit({ id: 9, ownerId: merchant });
  const transfer = (fromPartnerId: number, toPartnerId: number) =>
    flowOf([
      { ...byTheMerchant, kind: 'TRANSFER_POINTS', fromPartnerId, toPartnerId, conversionRateBp: 1, increment: 1 },
    ]);

  it.each<[string, Partial<Campaign>, number[], number[]]>([
    ['the owner and the partner whose points are awarded', byMerchantAlone(), [], [merchant, partner]],
    ['the owner of the parts alone when the partner waived its approval', byMerchantAlone(), [partner], [merchant]],
    ['all owners of parts, even a partner that waived its approval', shared(), [partner], [merchant, partner]],
    [
      'the owner of an action and the owner of a limit',
      flowOf([earning(10_000)], { limits: [limit] }),
      [],
      [partner, merchant],
    ],
    [
      'the owner and the partner whose points are taken',
      flowOf([{ ...redeeming(1), ownerId: merchant }]),
      [],
      [merchant, partner],
    ],
    ['the owner of a cashback', flowOf([{ ...byTheMerchant, kind: 'AWARD_CASHBACK', shareBp: 1 }]), [], [merchant]],
    [
      'the partner that owns a cashback and the merchant that pays it',
      flowOf([{ ownerId: partner, id: 2, kind: 'AWARD_CASHBACK', shareBp: 1 }]),
      [],
      [partner, merchant],
    ],
    ['the owner and both partners of a transfer', transfer(partner, other), [], [merchant, partner, other]],
    [
      'the owner and one partner of a transfer when the other partner waived its approval',
      transfer(other, partner),
      [other, third],
      [merchant, partner],
    ],
    ['the organisation that made a campaign without parts', { flows: [], goals: [] }, [], [partner]],
  ])('are %s', (_case, campaign, waivedBy, approvers) => {
    expect(approversOf(aCampaign(campaign), new Set(waivedBy))).toEqual(approvers);
  });

  it('include a third partner whose points the version transfers', () => {
    const review = drafted(aCampaign({ ...transfer(partner, other), status: 'IN_REVIEW' }), [merchant, partner]);
    const byOther = { organisationId: other, now: noon };
    expect(written(reject(review, 'no', byOther)).record.draft?.campaign.status).toBe('DRAFT');
    expect(written(approve(review, byOther)).approved?.approvals).toHaveLength(3);
    expect(reasonOf(approve(review, { organisationId: third, now: noon }))).toMatch(/neither side/);
  });

  it('leave out a partner that waived its approval', () => {
    const draft = drafted(byMerchantAlone({ status: 'DRAFT', startsAt: past }));
    expect(written(approve(draft, { ...byMerchant, waivedBy: new Set([partner]) })).live?.status).toBe('ACTIVE');
    expect(written(approve(draft, byMerchant)).record.draft?.campaign.status).toBe('IN_REVIEW');
  });

  it('prevent an early start unless they waived their approval', () => {
    const scheduled = approved(byMerchantAlone({ status: 'SCHEDULED', startsAt: future }));
    expect(reasonOf(activate(scheduled, byMerchant))).toMatch(/so that organisation 2 can approve it/);
    expect(written(activate(scheduled, { ...byMerchant, waivedBy: new Set([partner]) })).live?.status).toBe('ACTIVE');
  });
});
