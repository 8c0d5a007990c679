import { beforeAll, describe, expect, it } from 'vitest';
import { contract as partnershipsContract } from '../../../functions/management/partnerships/list-partnerships/contract.ts';
import { handler as listPartnerships } from '../../../functions/management/partnerships/list-partnerships/handler.ts';
import { contract as createTemplateContract } from '../../../functions/management/templates/create-template/contract.ts';
import { handler as createTemplate } from '../../../functions/management/templates/create-template/handler.ts';
import { contract as deleteTemplateContract } from '../../../functions/management/templates/delete-template/contract.ts';
import { handler as deleteTemplate } from '../../../functions/management/templates/delete-template/handler.ts';
import { contract as templatesContract } from '../../../functions/management/templates/list-templates/contract.ts';
import { handler as listTemplates } from '../../../functions/management/templates/list-templates/handler.ts';
import { contract as triggersContract } from '../../../functions/management/triggers/list-triggers/contract.ts';
import { handler as listTriggers } from '../../../functions/management/triggers/list-triggers/handler.ts';
import { launchCampaign } from '../../../shared/operations/campaign/write-campaign.ts';
import { deletePartnership } from '../../../shared/operations/partnership/edit-partnership.ts';
import { createPartnership, setPartnershipActive } from '../../../shared/operations/partnership/manage-partnership.ts';
import { provisionOrganisation } from '../../support/provision.ts';
import { aSecondProgram } from '../../support/second-program.ts';
import { Colleague, earn, useOffice, world } from './campaign-office.ts';

useOffice();

let ada: Colleague;
let grace: Colleague;
beforeAll(async () => {
  ada = await Colleague.hire(world.demo.merchant.id, ['editor', 'approver']);
  grace = await Colleague.hire(world.demo.partner.id, ['editor', 'approver']);
});

const idsIn = ({ body }: { body: { data: { campaigns: { id: number }[] } } }) =>
  body.data.campaigns.map(({ id }) => id);

describe('the list of campaigns', () => {
  it('shows running campaigns and drafts of both sides, with status, changes that wait, and who is waited for', async () => {
    const draft = await ada.draft();
    const review = await ada.draft({ ...earn, name: 'In review' });
    await ada.act(review.id, review.revision, 'approve');
    const { earn: running } = world.demo.campaigns;
    const live = (await grace.get(running)).body.data;
    await grace.save(running, live.revision, { ...live.live.document, name: 'Next' });

    const { campaigns } = (await grace.list()).body.data;
    expect(campaigns.find(({ id }: { id: number }) => id === draft.id)).toMatchObject({ status: 'DRAFT', faults: 0 });
    expect(campaigns.find(({ id }: { id: number }) => id === review.id)).toMatchObject({
      ...{ name: 'In review', status: 'IN_REVIEW', is_waiting_for_you: true },
      waits_for: [{ id: world.demo.partner.id, name: 'Skyline Miles' }],
    });
    expect(campaigns.find(({ id }: { id: number }) => id === running)).toMatchObject({
      ...{ status: 'ACTIVE', has_next_version: true, next_status: 'DRAFT', points: 0, is_waiting_for_you: false },
      partnership: { name: 'Corner Coffee × Skyline Miles', time_zone: 'America/New_York' },
    });

    expect(idsIn(await grace.list({ waiting: 'you' }))).toEqual([review.id]);
    expect(idsIn(await ada.list({ waiting: 'you' }))).toEqual([]);
    expect(idsIn(await ada.list({ waiting: 'anyone' }))).toEqual([review.id]);
    expect(idsIn(await ada.list({ status: 'IN_REVIEW' }))).toEqual([review.id]);
    expect(idsIn(await ada.list({ type: 'REDEEM' }))).toEqual([world.demo.campaigns.redeem]);
    expect(idsIn(await ada.list({ text: 'in REV' }))).toEqual([review.id]);
    expect(idsIn(await ada.list({ text: 'next' }))).toEqual([running]);
    expect(idsIn(await ada.list({ text: String(draft.id) }))).toEqual([draft.id]);
    expect((await ada.list({ status: 'NEW' })).status).toBe(400);
  });

  it('has pages, each campaign once, the newest first, also backwards and while campaigns are made', async () => {
    const merchant = await provisionOrganisation(world.platform, { name: 'Many Shops', kind: 'MERCHANT' });
    const { id: merchantId } = merchant;
    const partnerId = world.demo.partner.id;
    const partnership = await createPartnership(
      { name: 'Many', description: null, merchantId, partnerId },
      world.platform,
    );
    const as = { id: partnerId };
    const document = { ...earn, flows: earn.flows };
    for (let number = 0; number < 250; number += 1) {
      await launchCampaign({ ...document, name: `Campaign ${number}` }, { partnership, as }, world.platform);
    }
    const boss = await Colleague.hire(merchantId, ['owner']);
    const first = await boss.list({ limit: '100' });
    await launchCampaign({ ...document, name: 'Late' }, { partnership, as }, world.platform);
    const second = await boss.list({ limit: '100', cursor: first.body.cursor.next });
    const third = await boss.list({ limit: '100', cursor: second.body.cursor.next });
    expect([first, second, third].map((page) => idsIn(page).length)).toEqual([100, 100, 50]);
    expect(third.body.cursor.next).toBeNull();
    const ids = [first, second, third].flatMap(idsIn);
    expect(new Set(ids).size).toBe(250);
    expect(ids).toEqual(ids.toSorted((one, other) => other - one));
    expect(idsIn(await boss.list({ limit: '100', cursor: third.body.cursor.prev }))).toEqual(idsIn(second));
    expect(await boss.list({ limit: '50', cursor: first.body.cursor.next })).toMatchObject({ status: 400 });
    expect(idsIn(await boss.list({ partnership: partnership.uuid, text: 'Campaign 249' }))).toHaveLength(1);
  }, 60_000);

  it('shows a review to a third partner whose points the version moves, until that partner has approved', async () => {
    const third = await aSecondProgram(world);
    const hotel = await Colleague.hire(third.id, ['approver']);
    const partnerId = world.demo.partner.id;
    const move = { kind: 'TRANSFER_POINTS', fromPartnerId: partnerId, toPartnerId: third.id, increment: 1_000 };
    const made = await ada.draft({
      ...{ name: 'Move', type: 'TRANSFER' },
      flows: [{ trigger: { type: 'SPEND' }, actions: [{ ...move, conversionRateBp: 10_000 }] }],
    });
    expect(made.faults, JSON.stringify(made.draft.faults)).toBe(0);
    expect(idsIn(await hotel.list())).toEqual([]);
    const submitted = (await ada.act(made.id, made.revision, 'submit')).body.data;
    expect(idsIn(await hotel.list({ waiting: 'you' }))).toEqual([made.id]);
    const seen = (await hotel.get(made.id)).body.data;
    expect(seen.waits_for).toContainEqual({ id: third.id, name: third.name });
    const approved = await hotel.act(made.id, submitted.revision, 'approve');
    expect(approved).toMatchObject({ status: 200, body: { data: { status: 'IN_REVIEW' } } });
    expect(idsIn(await hotel.list())).toEqual([]);
  });

  it('leaves out campaigns of a deleted partnership, which exist for nobody any more', async () => {
    const shop = await provisionOrganisation(world.platform, { name: 'Closing Shop', kind: 'MERCHANT' });
    const wanted = { name: 'Closing', description: null, merchantId: shop.id, partnerId: world.demo.partner.id };
    const { uuid } = await createPartnership(wanted, world.platform);
    const owner = await Colleague.hire(shop.id, ['owner']);
    const made = (await owner.create({ partnership_uuid: uuid, document: earn })).body.data;
    expect(idsIn(await owner.list())).toEqual([made.id]);
    await setPartnershipActive({ partnership: uuid, isActive: false }, world.platform);
    await deletePartnership({ partnership: uuid }, world.platform);

    expect(idsIn(await owner.list())).toEqual([]);
    expect(await owner.get(made.id)).toMatchObject({ status: 404 });
    expect(await owner.save(made.id, made.revision, { ...made.draft.document, name: 'Again' })).toMatchObject({
      status: 409,
    });
    expect(await owner.act(made.id, made.revision, 'approve')).toMatchObject({ status: 409 });
    expect(await owner.create({ partnership_uuid: uuid, document: earn })).toMatchObject({ status: 404 });
  });
});

describe('templates', () => {
  it('are made from a campaign, listed with those of the platform, and deleted', async () => {
    const { id } = await ada.draft();
    const made = await ada.ask(createTemplate, createTemplateContract, { body: { campaign_id: id, name: 'Mine' } });
    expect(made.body.data).toMatchObject({
      ...{ name: 'Mine', type: 'EARN', owner: { id: world.demo.merchant.id, name: 'Corner Coffee' } },
      document: { flows: [{ trigger: { type: 'SPEND' } }] },
    });
    const list = async (who: Colleague) =>
      (await who.ask(listTemplates, templatesContract)).body.data.templates as { id: number; owner: object | null }[];
    expect((await list(ada)).map((one) => one.id)).toContain(made.body.data.id);
    expect((await list(ada)).some(({ owner }) => owner === null)).toBe(true);
    expect((await list(grace)).map((one) => one.id)).not.toContain(made.body.data.id);

    const remove = (who: Colleague) =>
      who.ask(deleteTemplate, deleteTemplateContract, { params: { id: String(made.body.data.id) } });
    expect(await remove(grace)).toMatchObject({ status: 404 });
    expect(await remove(ada)).toMatchObject({ status: 200 });
    expect(await remove(ada)).toMatchObject({ status: 404 });
    const foreign = await Colleague.hire(world.demo.outsider.id, ['editor']);
    const refused = await foreign.ask(createTemplate, createTemplateContract, { body: { campaign_id: id } });
    expect(refused).toMatchObject({ status: 404 });
  });
});

describe('the choices of the builder', () => {
  it('are tiers, attributes, triggers and programs of each partnership, with the side of the reader', async () => {
    const ofMerchant = (await ada.ask(listPartnerships, partnershipsContract)).body.data.partnerships;
    const known = ofMerchant.find(({ uuid }: { uuid: string }) => uuid === world.demo.partnership.uuid);
    expect(known).toMatchObject({
      ...{ side: 'merchant', merchant: { name: 'Corner Coffee' }, partner: { name: 'Skyline Miles' } },
      tiers: [{ name: 'Silver' }, { name: 'Gold' }],
      attributes: [{ name: 'employer', values: null }, { name: 'plan' }],
      triggers: [{ name: 'signup_completed', context_schema: { allowsOtherFields: true } }],
    });
    const [ofPartner] = (await grace.ask(listPartnerships, partnershipsContract)).body.data.partnerships.filter(
      ({ uuid }: { uuid: string }) => uuid === world.demo.partnership.uuid,
    );
    expect(ofPartner).toMatchObject({ side: 'partner', programs: [{ id: world.demo.partner.id }] });
    const outsider = await Colleague.hire(world.demo.outsider.id, ['owner']);
    expect((await outsider.ask(listPartnerships, partnershipsContract)).body.data.partnerships).toEqual([]);
  });

  it('say which campaigns wait for a trigger', async () => {
    const { draft, id } = await ada.draft();
    const [flow] = draft.document.flows;
    const signup = { type: 'CUSTOM', name: 'signup_completed' };
    const bonus = { ...flow, actions: [{ kind: 'AWARD_POINTS', pointsPerEvent: 250 }], trigger: signup };
    await ada.save(id, 1, { ...draft.document, name: 'Bonus', flows: [bonus] });
    const { triggers } = (await ada.ask(listTriggers, triggersContract)).body.data;
    expect(triggers).toMatchObject([{ name: 'signup_completed', campaigns: [{ id, name: 'Bonus' }] }]);
  });
});
