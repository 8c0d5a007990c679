import { beforeAll, describe, expect, it } from 'vitest';
import { pauseCampaign } from '../../../shared/operations/campaign/change-campaign.ts';
import { Colleague, useOffice, world } from './campaign-office.ts';

useOffice();

let ada: Colleague;
let grace: Colleague;
beforeAll(async () => {
  const { merchant, partner } = world.demo;
  ada = await Colleague.hire(merchant.id, ['editor', 'approver']);
  grace = await Colleague.hire(partner.id, ['editor', 'approver']);
});

describe('the history of a campaign', () => {
  it('names own people, and of the other side the organisation only', async () => {
    const { id, revision } = await ada.draft();
    const submitted = (await ada.act(id, revision, 'submit')).body.data;
    const rejected = (await grace.act(id, submitted.revision, 'reject', 'too many points')).body.data;
    const { document } = rejected.draft;
    const saved = (await ada.save(id, rejected.revision, { ...document, name: 'Fewer' })).body.data;
    const approved = (await ada.act(id, saved.revision, 'approve')).body.data;
    await grace.act(id, approved.revision, 'approve');

    const { body } = await ada.history(id);
    const merchant = { organisation: { name: 'Corner Coffee' }, person: 'Ada', reason: null };
    const partner = { organisation: { name: 'Skyline Miles' }, person: null, reason: null };
    expect(body.data.acts).toMatchObject([
      { act: 'approve', ...partner, revision: 6 },
      { act: 'approve', ...merchant },
      { act: 'edit', ...merchant },
      { act: 'reject', ...partner, reason: 'too many points' },
      { act: 'submit', ...merchant },
      { act: 'create', ...merchant, revision: 1 },
    ]);
    const theirs = (await grace.history(id)).body.data.acts.map(({ person }: { person: string | null }) => person);
    expect(theirs).toEqual(['Ada', null, null, 'Ada', null, null]);
  });

  it('has pages, also backwards', async () => {
    const { id, revision } = await ada.draft();
    const saved = (await ada.save(id, revision, { name: 'Later', type: 'EARN', flows: [] })).body.data;
    await ada.save(id, saved.revision, { name: 'Latest', type: 'EARN', flows: [] });
    const revisions = ({ body }: Awaited<ReturnType<Colleague['history']>>) =>
      body.data.acts.map((one: { revision: number }) => one.revision);
    const first = await ada.history(id, { limit: '2' });
    expect(revisions(first)).toEqual([3, 2]);
    const second = await ada.history(id, { limit: '2', cursor: first.body.cursor.next });
    expect(revisions(second)).toEqual([1]);
    expect(revisions(await ada.history(id, { limit: '2', cursor: second.body.cursor.prev }))).toEqual([3, 2]);
  });

  it('contains what operators do for an organisation, without their names', async () => {
    const { id, revision } = await ada.draft();
    const approved = (await ada.act(id, revision, 'approve')).body.data;
    await grace.act(id, approved.revision, 'approve');
    await pauseCampaign({ campaignId: id, as: { id: world.demo.merchant.id } }, world.platform);
    const { body } = await ada.history(id, { limit: '1' });
    expect(body.data.acts).toMatchObject([{ act: 'pause', organisation: { name: 'Corner Coffee' }, person: null }]);
  });

  it('exists for nobody when the campaign is deleted', async () => {
    const { id, revision } = await ada.draft();
    await ada.delete(id, revision);
    expect((await ada.history(id)).status).toBe(404);
  });
});
