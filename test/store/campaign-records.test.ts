import { beforeAll, describe, expect, it } from 'vitest';
import { partitions } from '../../shared/contracts/table.ts';
import { activate, advance, end, pause, remove, resume } from '../../shared/domain/campaign/authoring/lifecycle.ts';
import { approve, edit, reject } from '../../shared/domain/campaign/authoring/review.ts';
import type { Campaign, ManagedCampaign } from '../../shared/domain/campaign/document/campaign.ts';
import { documentOf } from '../../shared/domain/campaign/document/campaign.ts';
import { newCampaignWrite } from '../../shared/store/campaign/campaign-records.ts';
import { Campaigns } from '../../shared/store/campaign/campaigns.ts';
import { merchant, own, partner, shared } from '../domain/campaign-fixtures.ts';
import { aPartnership, noon } from '../domain/fixtures.ts';
import { at, byMerchant, byPartner, CampaignDesk } from '../support/campaign-desk.ts';
import { makeTestTable, type TestTable } from '../support/test-table.ts';

let table: TestTable;
let desk: CampaignDesk;
let campaigns: Campaigns;
beforeAll(async () => {
  table = await makeTestTable();
  desk = await CampaignDesk.open(table);
  campaigns = new Campaigns(table.client);
});

/** Returns the ids of the campaigns that ran at an instant. Expects all queries to find the same ones. */
async function offered(instant: string): Promise<number[]> {
  const when = new Date(instant);
  const [byMerchant, byPartner, withPartnerships] = await Promise.all([
    campaigns.runningOf(merchant, when),
    campaigns.runningOf(partner, when, 'byPartner'),
    campaigns.offeredBy(merchant, when),
  ]);
  const [ids, ...others] = [byMerchant, byPartner, withPartnerships.campaigns].map((found) =>
    found.map(({ id }) => id).toSorted(),
  );
  for (const other of others) expect(other).toEqual(ids);
  expect(withPartnerships.partnerships).toEqual([aPartnership()]);
  return ids ?? [];
}

describe('Campaigns', () => {
  it('finds a draft by id and by side, but not by partnership', async () => {
    const { record } = await desk.begin(own);

    expect(await desk.records.find(record.id)).toMatchObject({ live: null, record: { id: record.id, revision: 1 } });
    expect((await desk.records.draftsOf('byMerchant', merchant)).map(({ id }) => id)).toContain(record.id);
    expect((await desk.records.draftsOf('byPartner', partner)).map(({ id }) => id)).toContain(record.id);
    expect((await campaigns.partnership(record.partnershipUuid))?.campaigns).toEqual([]);
    expect(await desk.records.find(99)).toBeUndefined();
  });

  it('lists an approved campaign as a campaign and no longer as a draft', async () => {
    const campaign = await desk.approved();
    const { id, partnershipUuid } = campaign.record;

    expect(campaign.live).toMatchObject({ id, status: 'ACTIVE', version: 1 });
    const shown = (await campaigns.partnership(partnershipUuid))?.campaigns.map((each) => each.campaign.id);
    expect(shown).toContain(id);
    expect((await campaigns.runningOf(merchant, noon)).map((each) => each.id)).toContain(id);
    expect((await campaigns.listed(partner, new Set(['EARN']), { limit: 1 })).items).toMatchObject([{ id }]);
    expect((await desk.records.draftsOf('byMerchant', merchant)).map((each) => each.id)).not.toContain(id);
    expect(await desk.told(campaign)).toEqual(['campaign_activated']);
  });

  it('keeps every approved version; the latest one is live', async () => {
    const campaign = await desk.approved(shared);
    const { id, partnershipUuid } = campaign.record;
    const document = { ...documentOf(campaign.live as Campaign), name: 'Second' };

    await desk.carryOut(campaign, (now) => edit(now, { document, nextPartId: 9 }, byMerchant));
    await desk.carryOut(campaign, (now) => approve(now, byPartner));
    expect(await campaigns.find(partnershipUuid, id)).toEqual(campaign.live);

    const second = await desk.carryOut(campaign, (now) => approve(now, byMerchant));
    expect(second.live).toMatchObject({ name: 'Second', version: 2, status: 'ACTIVE' });
    expect(await desk.records.version(id, 1)).toMatchObject({
      campaign: campaign.live,
      approvals: [{ organisationId: merchant }, { organisationId: partner }],
    });
    expect(await desk.records.version(id, 2)).toMatchObject({ campaign: { name: 'Second' } });
    expect(await desk.records.version(id, 3)).toBeUndefined();
    expect(await desk.told(campaign)).toEqual(['campaign_activated', 'campaign_updated']);
  });

  it('offers an ended campaign for earlier instants, but a deleted campaign for none', async () => {
    const campaign = await desk.approved();
    const { id } = campaign.record;

    await desk.carryOut(campaign, (now) => end(now, byMerchant));
    expect(await offered(at(-1))).toContain(id);
    expect(await offered(at(1))).not.toContain(id);
    expect((await campaigns.approvedOf('byPartner', partner)).map((each) => each.id)).toContain(id);
    await desk.carryOut(campaign, (now) => remove(now, byPartner));
    expect(await offered(at(-1))).not.toContain(id);
    expect((await campaigns.approvedOf('byPartner', partner)).map((each) => each.id)).toContain(id);
    const { items } = await campaigns.listed(merchant, new Set(['EARN']), { limit: 100 });
    expect(items.map((each) => each.id)).not.toContain(id);
  });

  it('offers a campaign until its end, also when the end has a UTC offset', async () => {
    const ends = ['2026-03-08T23:30:00+01:00', '9999-12-31T23:00:00-05:00', null];
    const [early, late, open] = await Promise.all(ends.map((endsAt) => desk.approved(own, { endsAt })));
    const found = async (instant: string) => {
      const ids = await offered(instant);
      return [early, late, open].map((campaign) => ids.includes(campaign?.record.id ?? 0));
    };

    expect(await found('2026-03-08T22:29:59.999Z')).toEqual([true, true, true]);
    expect(await found('2026-03-08T22:30:00.001Z')).toEqual([false, true, true]);
    expect(await found('9999-12-31T23:59:59.999Z')).toEqual([false, true, true]);
  });

  it('returns the pauses of a paused campaign', async () => {
    const campaign = await desk.approved();
    await desk.carryOut(campaign, (now) => pause(now, byMerchant));
    const { campaigns: found } = await campaigns.offeredBy(merchant, noon);
    const paused = found.find(({ id }) => id === campaign.record.id);
    expect(paused).toMatchObject({ status: 'PAUSED', pauses: [{ from: at(0), to: null }] });
  });

  it('writes a request for new schedules only when the start or end changes', async () => {
    const scheduled = await desk.approved(own, { startsAt: at(60), endsAt: at(120) });
    expect(await desk.told(scheduled)).toEqual(['campaign_scheduled']);

    await desk.carryOut(scheduled, (now) => activate(now, byPartner));
    expect(await desk.told(scheduled)).toEqual(['campaign_activated', 'campaign_scheduled', 'campaign_scheduled']);
    await desk.carryOut(scheduled, (now) => pause(now, byMerchant));
    await desk.carryOut(scheduled, (now) => resume(now, byMerchant));
    expect((await desk.told(scheduled)).filter((name) => name === 'campaign_scheduled')).toHaveLength(2);
  });

  it('writes one event for an activation, which names both sides and the instant', async () => {
    const campaign = await desk.approved();
    expect(await desk.events(campaign)).toEqual([
      {
        id: expect.any(String),
        name: 'campaign_activated',
        entityId: String(campaign.record.id),
        occurredAt: at(0),
        merchantId: merchant,
        partnerId: partner,
      },
    ]);
  });
});

describe('exactly one parallel change to a campaign succeeds', () => {
  const rounds = Array.from({ length: 10 }, (_, round) => round);

  it('for ten copies of the last approval', async () => {
    for (const _ of rounds) {
      const campaign = await desk.begin(own);
      expect(await desk.race(campaign, ...rounds.map(() => (now: ManagedCampaign) => approve(now, byPartner)))).toBe(1);
      expect(await desk.told(campaign)).toEqual(['campaign_activated']);
      expect(await desk.read(campaign)).toMatchObject({
        live: { version: 1, status: 'ACTIVE' },
        record: { revision: 2 },
      });
    }
  });

  it('for approvals of both sides', async () => {
    for (const _ of rounds) {
      const campaign = await desk.begin(shared);
      const approvals = [byMerchant, byPartner].map((act) => (now: ManagedCampaign) => approve(now, act));
      expect(await desk.race(campaign, ...approvals)).toBe(1);
      const [first] = (await desk.read(campaign)).record.draft?.approvals ?? [];
      await desk.carryOut(campaign, (now) => approve(now, first?.organisationId === merchant ? byPartner : byMerchant));
      expect(await desk.told(campaign)).toEqual(['campaign_activated']);
    }
  });

  it('for an edit and an approval', async () => {
    for (const round of rounds) {
      const campaign = await desk.begin(own);
      const document = { ...documentOf(own()), name: `Edited ${round}` };
      const decisions = [
        (now: ManagedCampaign) => edit(now, { document, nextPartId: 9 }, byMerchant),
        (now: ManagedCampaign) => approve(now, byPartner),
      ];
      expect(await desk.race(campaign, ...(round % 2 ? decisions : decisions.toReversed()))).toBe(1);
      const { live, record } = await desk.read(campaign);
      if (live) expect([live.name, record.draft]).toEqual([own().name, null]);
      else expect(record.draft).toMatchObject({ campaign: { name: `Edited ${round}` }, approvals: [] });
    }
  });

  it('for an approval and a rejection', async () => {
    const campaign = await desk.begin(shared);
    await desk.carryOut(campaign, (now) => approve(now, byMerchant));
    const decisions = [
      (now: ManagedCampaign) => approve(now, byPartner),
      (now: ManagedCampaign) => reject(now, 'no', byPartner),
    ];
    expect(await desk.race(campaign, ...decisions)).toBe(1);
    const { live, record } = await desk.read(campaign);
    expect(live === null).toBe(record.draft !== null);
  });

  it('for copies of one message of the schedule', async () => {
    const later = new Date(at(90));
    for (const _ of rounds) {
      const campaign = await desk.approved(own, { startsAt: at(60), endsAt: at(120) });
      expect(await desk.race(campaign, ...rounds.map(() => (now: ManagedCampaign) => advance(now, later)))).toBe(1);
      expect((await desk.told(campaign)).filter((name) => name === 'campaign_activated')).toHaveLength(1);
      expect((await desk.read(campaign)).live?.status).toBe('ACTIVE');
    }
  });

  it('for a pause and an end', async () => {
    for (const round of rounds) {
      const campaign = await desk.approved();
      const decisions = [
        (now: ManagedCampaign) => pause(now, byMerchant),
        (now: ManagedCampaign) => end(now, byPartner),
      ];
      expect(await desk.race(campaign, ...(round % 2 ? decisions : decisions.toReversed()))).toBe(1);
      // The refused operation is repeated with the new state.
      if ((await desk.read(campaign)).live?.status === 'PAUSED')
        await desk.carryOut(campaign, (now) => end(now, byPartner));
      const names = await desk.told(campaign);
      expect(names.filter((name) => name === 'campaign_ended')).toHaveLength(1);
      expect(names.filter((name) => name === 'campaign_updated').length).toBe(
        names.includes('campaign_updated') ? 1 : 0,
      );
    }
  });

  it('for two creations with the same id', async () => {
    const campaign = await desk.begin(own);
    await expect(table.client.write(newCampaignWrite(campaign))).rejects.toThrow();
  });
});

describe('a campaign whose state changed', () => {
  it('refuses changes that were decided for the earlier state', async () => {
    const campaign = await desk.approved();
    const key = {
      pk: `${partitions.partnership}${campaign.record.partnershipUuid}`,
      sk: `CAMPAIGN#${campaign.record.id}`,
    };
    await table.client.write({ kind: 'update', key, changes: { set: { status: 'ENDED' } } });

    expect(await desk.race(campaign, () => pause(campaign, byMerchant))).toBe(0);
    expect(await desk.told(campaign)).toEqual(['campaign_activated']);
  });
});
