import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTemplate } from '../../../shared/operations/campaign/manage-templates.ts';
import { createPartnership } from '../../../shared/operations/partnership/manage-partnership.ts';
import { changeSettings } from '../../../shared/operations/staff/change-settings.ts';
import { listAudit } from '../../../shared/operations/staff/list-audit.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { provisionOrganisation } from '../../support/provision.ts';
import { award, Colleague, earn, saveBlindly, useOffice, world } from './campaign-office.ts';

useOffice();

let merchant: number;
let partner: number;
/** Editor and approver of the merchant; approver of the partner. */
let ada: Colleague;
let grace: Colleague;
beforeAll(async () => {
  merchant = world.demo.merchant.id;
  partner = world.demo.partner.id;
  ada = await Colleague.hire(merchant, ['editor', 'approver']);
  grace = await Colleague.hire(partner, ['editor', 'approver']);
});

const eventsOf = async (id: number) =>
  (await outboxEvents(world)).filter(({ entityId }) => entityId === String(id)).map(({ name }) => name);

/** The acts of a reply that are allowed. */
const allowed = ({ acts }: { acts: { act: string; is_allowed: boolean }[] }) =>
  acts.filter((one) => one.is_allowed).map(({ act }) => act);
const reasonOf = ({ acts }: { acts: { act: string; reason: string | null }[] }, name: string) =>
  acts.find(({ act }) => act === name)?.reason;

it('needs another person where one person of both sides would approve much for both', async () => {
  const [ofMerchant, ofPartner] = await Colleague.hireForAll([merchant, partner], ['owner']);
  const { id, revision } = await ofMerchant.draft({
    ...earn,
    flows: [{ trigger: { type: 'SPEND' }, actions: [{ ...award, pointsPerDollarBp: 10_000_000 }] }],
  });
  const first = (await ofMerchant.act(id, revision, 'approve')).body.data;
  const refused = await ofPartner.act(id, first.revision, 'approve');
  expect(refused).toMatchObject({ status: 409 });
  expect(refused.body.message).toMatch(/one person gives all approvals: let another person approve it/);
  expect(await grace.act(id, first.revision, 'approve')).toMatchObject({ status: 200 });
});

describe('a transfer from the program of a third partner', () => {
  const transfer = (fromPartnerId: number) => {
    const action = { kind: 'TRANSFER_POINTS', fromPartnerId, toPartnerId: partner, conversionRateBp: 1, increment: 1 };
    return { name: 'Move', type: 'TRANSFER', flows: [{ trigger: { type: 'SPEND' }, actions: [action] }] };
  };

  let third: number;
  beforeAll(async () => {
    third = (await provisionOrganisation(world.platform, { name: 'Third Miles', kind: 'PARTNER' })).id;
    const sides = { merchantId: merchant, partnerId: third };
    await createPartnership({ name: 'Third', description: '', ...sides, allowsCashback: false }, world.platform);
  });

  it('is seen by that partner, also after its approval', async () => {
    const tom = await Colleague.hire(third, ['approver']);
    const { id, revision } = await ada.draft(transfer(third));
    const first = (await ada.act(id, revision, 'approve')).body.data;
    const second = (await grace.act(id, first.revision, 'approve')).body.data;

    const last = await tom.act(id, second.revision, 'approve');
    expect(last).toMatchObject({ status: 200, body: { data: { status: 'ACTIVE' } } });
    expect((await tom.get(id)).body.data.live.document.flows).toHaveLength(1);
    expect(await tom.version(id, 1)).toMatchObject({ status: 200 });
  });

  it('is made from no template that names the partners of another merchant', async () => {
    const move = await ada.draft(transfer(third));
    const { id: templateId } = await createTemplate({ campaignId: move.id, as: { id: partner } }, world.platform);
    const sides = { merchantId: world.demo.outsider.id, partnerId: partner };
    const other = { name: 'Books', description: '', ...sides, allowsCashback: false };
    const { uuid } = await createPartnership(other, world.platform);

    expect(await grace.create({ partnership_uuid: uuid, template_id: templateId })).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'unknown_partner' }] },
    });
    const known = { partnership_uuid: world.demo.partnership.uuid, template_id: templateId };
    expect(await grace.create(known)).toMatchObject({ status: 200 });
  });

  it.each([
    ['the merchant no stranger', () => [ada, world.demo.outsider.id] as const],
    ['the partner no other partner of the merchant', () => [grace, third] as const],
  ])('names for %s, not even in a draft', async (_, written) => {
    const [author, from] = written();
    const document = transfer(from);
    const refused = await author.create({ partnership_uuid: world.demo.partnership.uuid, document });
    expect(refused).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/document/flows/0/actions/0/fromPartnerId', code: 'unknown_partner' }] },
    });
  });
});

const refusedActs = async (organisationId: number) => {
  const month = world.platform.now().toISOString().slice(0, 'yyyy-mm'.length);
  const { items } = await listAudit({ organisationId, month, outcome: 'refused' }, { limit: 50 }, world.platform);
  return items.map(({ entry: { staffId, act, what } }) => ({ staffId, act, what }));
};

describe('a campaign of two parties', () => {
  it('is written, submitted, rejected, corrected, approved by both, changed, paused, resumed, ended and deleted', async () => {
    const made = await ada.draft();
    expect(made).toMatchObject({
      ...{ revision: 1, status: 'DRAFT', faults: 0, has_next_version: false, is_waiting_for_you: false },
      waits_for: [{ id: merchant }, { id: partner }],
      partnership: { merchant: { name: 'Corner Coffee' }, partner: { name: 'Skyline Miles' } },
      changed: { organisation: { id: merchant }, person: 'Ada' },
      draft: { version: 1, approvals: [], faults: [], differences: [] },
    });
    expect(allowed(made)).toEqual(['edit', 'submit', 'approve', 'delete', 'duplicate', 'create_template']);
    const { id } = made;

    const submitted = (await ada.act(id, made.revision, 'submit')).body.data;
    expect(submitted).toMatchObject({ status: 'IN_REVIEW', is_in_review: true, is_waiting_for_you: true });
    const seen = (await grace.get(id)).body.data;
    expect(seen).toMatchObject({ is_waiting_for_you: true, changed: { organisation: { id: merchant }, person: null } });
    const rejected = await grace.act(id, seen.revision, 'reject', 'two points are too many');
    expect(rejected.body.data).toMatchObject({
      status: 'DRAFT',
      draft: { rejection: { reason: 'two points are too many', person: 'Ada', organisation: { id: partner } } },
    });

    const { document } = rejected.body.data.draft;
    const [flow] = document.flows;
    const lower = { ...document, flows: [{ ...flow, actions: [{ ...flow.actions[0], pointsPerDollarBp: 10_000 }] }] };
    const saved = (await ada.save(id, rejected.body.data.revision, lower)).body.data;
    const first = (await ada.act(id, saved.revision, 'approve')).body.data;
    expect(first).toMatchObject({ status: 'IN_REVIEW', waits_for: [{ id: partner, name: 'Skyline Miles' }] });
    expect(first.draft).toMatchObject({ rejection: null, approvals: [{ person: 'Ada' }] });
    expect(reasonOf(first, 'approve')).toBe('Corner Coffee has approved already; missing: Skyline Miles');
    const live = (await grace.act(id, first.revision, 'approve')).body.data;
    expect(live).toMatchObject({ status: 'ACTIVE', draft: null, live: { version: 1 }, waits_for: [] });
    expect(live.versions).toMatchObject([{ version: 1, approvals: [{ person: null }, { person: 'Ada' }] }]);

    const next = (await ada.save(id, live.revision, { ...live.live.document, name: 'Summer' })).body.data;
    expect(next).toMatchObject({ name: 'Spring', status: 'ACTIVE', has_next_version: true, next_status: 'DRAFT' });
    expect(next.draft.differences).toEqual([{ pointer: '/name', label: 'Name', old: 'Spring', new: 'Summer' }]);
    const discarded = (await ada.act(id, next.revision, 'discard')).body.data;
    expect(discarded).toMatchObject({ draft: null, has_next_version: false });

    const paused = (await ada.act(id, discarded.revision, 'pause')).body.data;
    expect(paused).toMatchObject({ status: 'PAUSED', paused_by: merchant });
    const other = (await grace.get(id)).body.data;
    expect(reasonOf(other, 'resume')).toBe('Only Corner Coffee, which paused the campaign, can resume it');
    const refused = await grace.act(id, other.revision, 'resume');
    expect(refused).toMatchObject({ status: 409, body: { error: 'wrong_state' } });
    expect(refused.body.message).toBe('Only Corner Coffee, which paused the campaign, can resume it');
    const resumed = (await ada.act(id, paused.revision, 'resume')).body.data;
    const ended = (await grace.act(id, resumed.revision, 'end')).body.data;
    expect(ended.status).toBe('ENDED');
    expect((await ada.delete(id, ended.revision)).body.data).toEqual({ deleted: true });
    expect((await ada.get(id)).status).toBe(404);

    const sent = (await eventsOf(id)).filter((name) => name !== 'campaign_scheduled').toSorted();
    expect(sent).toEqual([
      'campaign_activated',
      'campaign_ended',
      'campaign_updated',
      'campaign_updated',
      'campaign_updated',
    ]);
  });

  it('names the person in the audit trail of the organisation, with the changed values', async () => {
    const { id, revision, draft } = await ada.draft();
    await ada.save(id, revision, { ...draft.document, name: 'Autumn' });
    const month = new Date().toISOString().slice(0, 7);
    const { items } = await world.platform.organisationAudit.of(merchant, month, { limit: 1 });
    expect(items).toMatchObject([
      {
        ...{ staffId: ada.person.staff.id, act: 'save campaign', organisationId: merchant },
        change: { before: { '/name': 'Spring' }, after: { '/name': 'Autumn' } },
      },
    ]);
  });
});

describe('a draft', () => {
  it('is stored with faults, which keep it from review and approval', async () => {
    const made = await ada.draft({ type: 'EARN' });
    expect(made).toMatchObject({ name: '', faults: 2 });
    expect(made.draft.faults.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/name', '/flows']);
    expect(reasonOf(made, 'submit')).toBe('It has 2 faults: correct them first');
    for (const act of ['submit', 'approve']) {
      const refused = await ada.act(made.id, made.revision, act);
      expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
      expect(refused.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
        '/document/name',
        '/document/flows',
      ]);
    }
    const whole = (await ada.save(made.id, made.revision, earn)).body.data;
    expect(whole).toMatchObject({ faults: 0, name: 'Spring', draft: { document: { endsAt: null } } });
    const late = { ...whole.draft.document, endsAt: '2020-01-01T00:00:00Z' };
    const over = (await ada.save(made.id, whole.revision, late)).body.data;
    expect(over.draft.faults).toMatchObject([{ pointer: '/endsAt' }, { pointer: '/endsAt', code: 'in_the_past' }]);
  });

  it('is refused when it is too large to be stored with all its fields', async () => {
    const flow = { trigger: { type: 'SPEND' }, actions: [] };
    const document = { ...earn, flows: Array.from({ length: 5_000 }, () => flow) };
    expect(await ada.create({ partnership_uuid: world.demo.partnership.uuid, document })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/document', code: 'too_large' }] },
    });
  });

  it('cannot change the type of a campaign that runs', async () => {
    const made = await grace.draft();
    const live = (await grace.act(made.id, made.revision, 'approve')).body.data;
    const redeem = { kind: 'REDEEM_POINTS', pointValueMicros: 10_000 };
    const other = { ...live.live.document, type: 'REDEEM', flows: [{ trigger: { type: 'SPEND' }, actions: [redeem] }] };
    const saved = (await grace.save(made.id, live.revision, other)).body.data;

    expect(await grace.act(made.id, saved.revision, 'approve')).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/document/type', code: 'type_is_fixed' }] },
    });
  });

  it('is refused with every fault when a part of it is incomplete', async () => {
    const { id, revision, draft } = await ada.draft();
    const [flow] = draft.document.flows;
    const half = { ...draft.document, flows: [{ ...flow, conditionGroups: [{ conditions: [] }], limits: [{}] }] };
    const refused = await ada.save(id, revision, half);
    expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect(refused.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/document/flows/0/conditionGroups/0/conditions',
      '/document/flows/0/limits/0/kind',
    ]);
    expect((await ada.get(id)).body.data.revision).toBe(revision);
  });

  it('keeps the parts of the other side', async () => {
    const { id, revision, draft } = await ada.draft();
    const [flow] = draft.document.flows;
    const foreign = { ...flow, actions: [{ ...flow.actions[0], pointsPerDollarBp: 90_000 }] };
    const refused = await grace.save(id, revision, { ...draft.document, flows: [foreign] });
    expect(refused.body.errors).toMatchObject([{ pointer: '/document/flows/0/actions/0', code: 'foreign_part' }]);
  });

  it('starts with its last approval when its file says null, or a time in the past', async () => {
    const past = await ada.draft({ ...earn, startsAt: '2020-01-01T00:00:00Z' });
    expect(Date.parse(past.starts_at)).toBeGreaterThan(Date.parse('2026-01-01T00:00:00Z'));
    const later = { ...past.draft.document, startsAt: '2099-01-01T00:00:00.000Z' };
    const scheduled = (await ada.save(past.id, past.revision, later)).body.data;
    expect(scheduled.starts_at).toBe('2099-01-01T00:00:00.000Z');
    const again = (await ada.save(past.id, scheduled.revision, { ...later, startsAt: null })).body.data;
    expect(Date.parse(again.starts_at)).toBeLessThanOrEqual(Date.now());
    const unchanged = (await ada.save(past.id, again.revision, { ...later, startsAt: null })).body.data;
    expect(unchanged.revision).toBe(again.revision);
  });

  it('is made from a file that was exported, from a template and as a copy', async () => {
    const { id, draft } = await ada.draft();
    const imported = await ada.draft(draft.document);
    expect(imported.id).not.toBe(id);
    expect(imported.draft.document.flows).toEqual(draft.document.flows);
    const copy = await ada.create({ campaign_id: id });
    expect(copy.body.data).toMatchObject({ name: 'Copy of Spring', status: 'DRAFT' });
    const { items } = await world.platform.templates.offeredTo(merchant, { limit: 1 });
    const from = { partnership_uuid: world.demo.partnership.uuid, template_id: items[0]?.id };
    const templated = await ada.create(from);
    expect(templated.body.data.draft).toMatchObject({ template_id: items[0]?.id });
    expect((await ada.create({ ...from, campaign_id: id })).status).toBe(400);
    expect((await ada.create({ document: earn })).body.errors).toMatchObject([{ pointer: '/partnership_uuid' }]);
  });

  it('is made once by requests with one id, also at the same time', async () => {
    const { id } = await ada.draft();
    const { items } = await world.platform.templates.offeredTo(merchant, { limit: 1 });
    const partnership = { partnership_uuid: world.demo.partnership.uuid };
    const origins = [
      { ...partnership, document: earn },
      { ...partnership, template_id: items[0]?.id },
      { campaign_id: id },
    ];
    for (const origin of origins) {
      const body = { ...origin, request_id: randomUUID() };
      const made = await Promise.all([ada.create(body), ada.create(body)]);
      const again = await ada.create(body);
      const ids = [...made, again].map((answer) => answer.body.data.id);
      expect(new Set(ids).size).toBe(1);
    }
    const body = { ...partnership, document: earn, request_id: randomUUID() };
    const [own, theirs] = [await ada.create(body), await grace.create(body)];
    expect(theirs.body.data.id).not.toBe(own.body.data.id);
  });
});

describe('a revision', () => {
  it('is required, and an older one is refused with who changed the campaign and when', async () => {
    const { id, revision, draft } = await ada.draft();
    const hedy = await Colleague.hire(merchant, ['editor']);
    const mine = { ...draft.document, name: 'Mine' };
    const [one, other] = await Promise.all([
      ada.save(id, revision, mine),
      hedy.save(id, revision, { ...mine, name: 'Hers' }),
    ]);
    expect([one.status, other.status].toSorted()).toEqual([200, 412]);
    const lost = one.status === 412 ? one : other;
    expect(lost.body).toMatchObject({
      error: 'changed_meanwhile',
      change: { revision: revision + 1, by: 'Ada', at: expect.any(String) },
    });
    const withoutRevision = await saveBlindly(ada, id, mine);
    expect(withoutRevision.status).toBe(428);
  });

  it('shows the organisation instead of the person when the other side changed the campaign', async () => {
    const { id, revision } = await ada.draft();
    await ada.act(id, revision, 'submit');
    const refused = await grace.act(id, revision, 'approve');
    expect(refused).toMatchObject({ status: 412, body: { change: { by: 'Corner Coffee' } } });
    expect((await grace.get(id)).body.data.draft.approvals).toEqual([]);
  });

  it('of an edit in review takes the approvals away', async () => {
    const { id, revision, draft } = await ada.draft();
    const approved = (await ada.act(id, revision, 'approve')).body.data;
    expect(approved.draft.approvals).toHaveLength(1);
    const edited = (await ada.save(id, approved.revision, { ...draft.document, name: 'Later' })).body.data;
    expect(edited).toMatchObject({ status: 'IN_REVIEW', draft: { approvals: [] } });
    expect((await grace.act(id, approved.revision, 'approve')).status).toBe(412);
  });
});

describe('permissions', () => {
  it('let an editor write and an approver decide, and say why not', async () => {
    const editor = await Colleague.hire(merchant, ['editor']);
    const approver = await Colleague.hire(merchant, ['approver']);
    const made = await editor.draft();
    expect(reasonOf(made, 'approve')).toBe('Your roles do not permit this');
    expect(await editor.act(made.id, made.revision, 'approve')).toMatchObject({ status: 403 });
    expect(await approver.act(made.id, made.revision, 'submit')).toMatchObject({ status: 403 });
    expect(await approver.save(made.id, made.revision, earn)).toMatchObject({ status: 403 });
    const approved = await approver.act(made.id, made.revision, 'approve');
    expect(approved).toMatchObject({ status: 200, body: { data: { status: 'IN_REVIEW' } } });
  });

  it('hide campaigns from organisations that they do not concern', async () => {
    const { id, revision } = await ada.draft();
    const outsider = await Colleague.hire(world.demo.outsider.id, ['owner']);
    expect(await outsider.get(id)).toMatchObject({ status: 404, body: { error: 'not_found' } });
    expect(await outsider.save(id, revision, earn)).toMatchObject({ status: 404 });
    expect(await outsider.act(id, revision, 'approve')).toMatchObject({ status: 404 });
    expect(await outsider.delete(id, revision)).toMatchObject({ status: 404 });
    expect(await outsider.create({ campaign_id: id })).toMatchObject({ status: 404 });
    expect(await outsider.create({ partnership_uuid: world.demo.partnership.uuid, document: earn })).toMatchObject({
      status: 404,
    });
    expect((await outsider.list()).body.data.campaigns).toEqual([]);
    expect(await ada.get(99_999)).toMatchObject({ status: 404 });
  });

  it('let nobody approve an own change where the organisation wants four eyes', async () => {
    const owner = await Colleague.hire(partner, ['owner']);
    const editor = await Colleague.hire(partner, ['editor', 'approver']);
    await changeSettings({ organisationId: partner, fourEyes: true, revision: 0 }, world.platform);
    const made = await owner.draft();
    expect(reasonOf(made, 'approve')).toMatch(/four eyes/);
    expect(await owner.act(made.id, made.revision, 'approve')).toMatchObject({ status: 409 });
    expect(await refusedActs(partner)).toContainEqual({
      ...{ staffId: owner.person.staff.id, act: 'approve campaign' },
      what: expect.stringMatching(`^${made.id}: .*four eyes`),
    });
    const approved = await editor.act(made.id, made.revision, 'approve');
    expect(approved.body.data).toMatchObject({ status: 'ACTIVE' });

    const [ofMerchant, ofPartner] = await Colleague.hireForAll([merchant, partner], ['owner']);
    const other = await ofMerchant.draft();
    const submitted = (await ofMerchant.act(other.id, other.revision, 'submit')).body.data;
    expect(await ofPartner.act(other.id, submitted.revision, 'approve'), 'changed for the merchant').toMatchObject({
      status: 409,
    });
    await changeSettings({ organisationId: partner, fourEyes: false, revision: 1 }, world.platform);
  });
});

it('the audit trail has an act that the roles of a person do not allow, and no act on an old revision', async () => {
  const editor = await Colleague.hire(partner, ['editor']);
  const made = await editor.draft();
  expect(await editor.act(made.id, made.revision, 'approve')).toMatchObject({ status: 403 });
  expect(await editor.act(made.id, made.revision - 1, 'submit')).toMatchObject({ status: 412 });
  const own = (await refusedActs(partner)).filter(({ staffId }) => staffId === editor.person.staff.id);
  expect(own.map(({ act }) => act)).toEqual(['approve campaign']);
});

it('a version is shown with what it changed', async () => {
  const made = await grace.draft();
  const live = (await grace.act(made.id, made.revision, 'approve')).body.data;
  const { document } = live.live;
  const [flow] = document.flows;
  const changed = {
    ...document,
    flows: [{ ...flow, actions: [{ ...flow.actions[0], ...award, pointsPerDollarBp: 30_000 }] }],
  };
  const next = (await grace.save(made.id, live.revision, changed)).body.data;
  const second = (await grace.act(made.id, next.revision, 'approve')).body.data;
  expect(second.versions.map(({ version }: { version: number }) => version)).toEqual([2, 1]);
  const shown = await grace.version(made.id, 2);
  expect(shown.body.data).toMatchObject({
    version: 2,
    differences: [
      { label: 'Flow 1, action', old: expect.stringMatching(/2 points/), new: expect.stringMatching(/3 points/) },
    ],
    document: { name: 'Spring' },
  });
  expect(await grace.version(made.id, 3)).toMatchObject({ status: 404 });
});
