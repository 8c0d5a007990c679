import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Condition } from '../../../shared/domain/campaign/document/campaign.ts';
import { approveCampaign } from '../../../shared/operations/campaign/change-campaign.ts';
import { removeAttribute, setAttribute } from '../../../shared/operations/registry/manage-registry.ts';
import { Campaigns } from '../../../shared/store/campaign/campaigns.ts';
import { addCampaign, aFlowOf } from '../../support/campaigns.ts';
import { newShopper } from '../../support/shoppers.ts';
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
  useCampaigns,
  world,
} from './campaign-commands.ts';
import { temporaryFile } from './command-line.ts';

useCampaigns();

const shop = 'Corner Coffee';
const program = 'Skyline Miles';
const attribute = (...args: string[]) => admin.script('organisation attribute', ...args);
const tier = (...args: string[]) => admin.script('organisation tier', ...args);
const lastAudit = async () => done(await admin.script('audit list --limit 1')).entries[0];

/** A campaign whose only flow rewards members whose attribute has none of these values. */
const rewarding = (name: string, ...values: string[]) => ({
  ...earn,
  flows: [
    {
      trigger: { type: 'SPEND' },
      actions: [award],
      conditionGroups: [{ conditions: [{ attribute: 'CUSTOM', operator: 'IS_NOT_IN', name, values }] }],
    },
  ],
});
/** A campaign that requires one of these tiers and has a multiplier for the same tiers. */
const forTiers = (tiers: object) => ({
  ...earn,
  flows: [
    {
      trigger: { type: 'SPEND' },
      actions: [award],
      conditionGroups: [{ conditions: [{ attribute: 'CUSTOMER_STATUS', operator: 'IS_IN', ...tiers }] }],
      multipliers: [{ attribute: 'CUSTOMER_STATUS', operator: 'IS_IN', factorBp: 20_000, ...tiers }],
    },
  ],
});

describe('the command organisation attribute', () => {
  it('registers, changes, lists and removes an attribute', async () => {
    const name = randomUUID();
    const made = done(await attribute('set', shop, name, '--value', 'a', '--value', 'b'));
    expect(made.outcome).toBe('created');
    expect(made.registry.attributes).toContainEqual({ name, type: 'text', values: ['a', 'b'] });
    expect(done(await attribute('set', shop, name, '--value', 'a', '--value', 'b')).outcome).toBe('unchanged');
    expect(done(await attribute('set', shop, name, '--type', 'number', '--any-value')).outcome).toBe('changed');
    expect(await lastAudit()).toMatchObject({
      command: 'organisation attribute set',
      what: `changed attribute ${name} of organisation 1 (Corner Coffee)`,
      change: { before: { name, type: 'text', values: ['a', 'b'] }, after: { name, type: 'number', values: null } },
    });

    const { out } = await admin.read(`organisation attribute list "${shop}"`);
    expect(out).toMatch(new RegExp(`${name} +number +every value`));
    expect(done(await attribute('remove', shop, name)).outcome).toBe('removed');
    expect(refusal(await attribute('remove', shop, name))).toBe(
      `organisation 1 (Corner Coffee) has no attribute ${name}; npm run admin -- organisation attribute list <organisation> shows what there is`,
    );
  });

  it('refuses to remove an attribute, or a value of it, that a live campaign uses', async () => {
    const name = randomUUID();
    done(await attribute('set', shop, name, '--value', 'a', '--value', 'b'));
    const id = await draft(rewarding(name, 'a'));
    // A draft may be corrected before its approval, so it does not prevent the removal.
    done(await attribute('set', shop, name, '--value', 'a'));
    await approveByBoth(id);

    const inUse = `attribute ${name} is in use by campaign ${id} (Spring): change or end each of them first; nothing was changed (npm run admin -- campaign apply <file>, npm run admin -- campaign end <campaign>)`;
    expect(refusal(await attribute('remove', shop, name))).toBe(inUse);
    expect(refusal(await attribute('set', shop, name, '--value', 'b'))).toBe(inUse);
    done(await attribute('set', shop, name, '--value', 'a', '--value', 'c'));
    const { attributes } = done(await attribute('list', shop));
    expect(attributes).toContainEqual({ name, type: 'text', values: ['a', 'c'], campaignIds: [id] });

    done(await campaign('pause', id, ...merchant));
    expect(refusal(await attribute('remove', shop, name))).toBe(inUse);
    done(await campaign('end', id, ...merchant));
    done(await attribute('remove', shop, name));
  });

  it('lists unregistered attributes that older campaigns use', async () => {
    const condition: Condition = {
      ...{ id: 5, ownerId: 1, attribute: 'CUSTOM', operator: 'IS_IN', name: 'older' },
      values: ['x'],
    };
    const older = await addCampaign(world, [
      aFlowOf({ conditionGroups: [{ id: 4, logic: 'ANY', conditions: [condition] }] }),
    ]);
    const { missing } = done(await attribute('list', shop));
    expect(missing).toEqual([{ name: 'older', campaignIds: [older.id] }]);
    const { out } = await admin.read(`organisation attribute list "${shop}"`);
    expect(out).toMatch(`Used by campaigns, and not registered:\n  older: campaign ${older.id}`);
    done(await attribute('set', shop, 'older', '--any-value'));
    expect(done(await attribute('list', shop)).missing).toEqual([]);
  });
});

describe('the command organisation tier', () => {
  it('registers tiers in their order, renames them, and removes them', async () => {
    const made = done(await tier('set', program, '7', '--name', 'Platinum'));
    expect(made.registry.tiers).toEqual([
      { id: 1, name: 'Silver', order: 1 },
      { id: 2, name: 'Gold', order: 2 },
      { id: 7, name: 'Platinum', order: 3 },
    ]);
    expect(done(await tier('set', program, '7', '--name', 'Diamond')).outcome).toBe('changed');
    expect((await admin.read(`organisation tier list "${program}"`)).out).toMatch(/3 +7 +Diamond/);
    expect(refusal(await tier('set', program, '8', '--name', 'gold'))).toBe('name is the name of tier 2');
    expect(refusal(await tier('set', shop, '8', '--name', 'Gold'))).toMatch('is a merchant, not a partner');
    done(await tier('remove', program, '7'));
    expect((await lastAudit()).change).toEqual({ before: { id: 7, name: 'Diamond', order: 3 }, after: null });
  });

  it('refuses to remove a tier that a live campaign uses', async () => {
    expect(refusal(await tier('remove', program, '2'))).toBe(
      `status tier 2 is in use by campaign ${world.demo.campaigns.earn} (Two points for every dollar): change or end each of them first; nothing was changed (npm run admin -- campaign apply <file>, npm run admin -- campaign end <campaign>)`,
    );
  });
});

/** A campaign that refers to a new attribute, and waits for the approval of the partner. */
async function halfApproved() {
  const name = randomUUID();
  await setAttribute(String(world.demo.merchant.id), { name, type: 'text', values: null }, world.platform);
  const id = await draft(rewarding(name, 'a'));
  done(await campaign('approve', id, ...merchant));
  return { id, name };
}

describe('a campaign that refers to registries', () => {
  it('is refused with a list of all unknown entries', async () => {
    const written = rewarding('plan', 'yearly', 'daily');
    const [flow] = written.flows;
    const multipliers = [
      { attribute: 'CUSTOMER_STATUS', operator: 'IS_IN', statusTiers: ['Gold', 'Golden'], factorBp: 5 },
      { attribute: 'VARIABLE', operator: 'IS_IN', name: 'weather', values: ['sun'], factorBp: 5 },
    ];
    const document = file({ ...written, flows: [{ ...flow, multipliers }] });
    const refused = refusal(await campaign('apply', document, ...merchant, '--partnership', partnership));
    expect(refused.split('\n').slice(1)).toEqual([
      '  /flows/0/multipliers/0/statusTiers/1: The partner has no status tier “Golden”: its registry has 1 (Silver), 2 (Gold) (npm run admin -- organisation tier set <partner> <id> --name <name>)',
      expect.stringMatching(/^ {2}\/flows\/0\/multipliers\/1\/name: There is no attribute weather/),
      '  /flows/0/conditionGroups/0/conditions/0/values/1: The attribute plan cannot be “daily”: it has to be one of monthly, yearly (npm run admin -- organisation attribute set <merchant> <name> --value <value>)',
    ]);
  });

  it('is stored with the numbers of named tiers', async () => {
    const id = await draft(forTiers({ statusTiers: ['Gold', 'Silver'] }));
    const { document } = done(await campaign('show', id)).campaign.draft;
    expect(document.flows[0].multipliers[0]).toMatchObject({ statusTierIds: [2, 1] });
    expect(document.flows[0].conditionGroups[0].conditions[0]).toMatchObject({ statusTierIds: [2, 1] });
    done(await campaign('apply', file(document), ...merchant));
  });

  it('cannot be approved after an entry’s removal', async () => {
    const name = randomUUID();
    done(await attribute('set', shop, name, '--any-value'));
    const id = await draft(rewarding(name, 'a'));
    done(await attribute('remove', shop, name));
    expect(refusal(await campaign('approve', id, ...merchant))).toMatch(`There is no attribute ${name}`);
  });

  it('is approved or loses its registry entry, never both, in parallel requests', async () => {
    const { platform, demo } = world;
    const [merchantId, partnerId] = [demo.merchant.id, demo.partner.id];
    for (let round = 0; round < 6; round += 1) {
      const { id, name } = await halfApproved();
      await Promise.allSettled([
        approveCampaign({ campaignId: id, as: { id: partnerId } }, platform),
        removeAttribute(String(merchantId), name, platform),
      ]);
      const { live } = (await platform.campaignRecords.find(id)) ?? {};
      const { attributes } = await platform.registries.find(merchantId);
      const isRegistered = attributes.some((one) => one.name === name);
      expect([live?.status ?? null, isRegistered]).toEqual(live ? ['ACTIVE', true] : [null, false]);
    }
  });

  it('prevents the removal of its registry entry when its approval is faster', async () => {
    const { platform, demo } = world;
    const { id, name } = await halfApproved();

    /** Lets the partner approve the campaign between the reads of a removal and its write. */
    class Interrupted extends Campaigns {
      #isFirst = true;
      override async liveOf(organisationId: number) {
        const found = await super.liveOf(organisationId);
        if (this.#isFirst) await approveCampaign({ campaignId: id, as: { id: demo.partner.id } }, platform);
        this.#isFirst = false;
        return found;
      }
    }
    const deps = { ...platform, campaigns: new Interrupted(platform.table) };
    await expect(removeAttribute(String(demo.merchant.id), name, deps)).rejects.toThrow(
      `attribute ${name} is in use by campaign ${id}`,
    );
  });
});

describe('the command member attributes import', () => {
  const imported = (content: string, ...more: string[]) =>
    admin.script('member attributes import', temporaryFile('members.csv', content), ...more);

  it('stores correct rows and names each faulty line', async () => {
    const [one, other] = [await newShopper(world), await newShopper(world)];
    const content = [
      'id,country,region,city,attribute:plan,attribute:employer',
      `${one.externalId},US,TX,Austin,yearly,Harbour Books|Corner Coffee`,
      `${other.externalId},,,,daily,`,
      'nobody,,,,yearly,',
      `${one.externalId},,,,monthly,`,
    ].join('\n');

    const dry = await imported(content, '--of', shop, '--dry-run');
    expect(dry).toMatchObject({ status: 1, json: { dry_run: true, changed: 1, unchanged: 0 } });
    expect((await world.platform.members.find(one.id))?.associations[0]?.attributes).toBeUndefined();

    const { status, json } = await imported(content, '--of', shop);
    expect(status).toBe(1);
    expect(json).toMatchObject({ changed: 1, unchanged: 0, created: 0 });
    expect(json.faults).toEqual([
      { line: 3, message: 'attributes.plan.0 has to be one of monthly, yearly' },
      {
        line: 4,
        message: expect.stringMatching(/^organisation 1 \(Corner Coffee\) has no member nobody; npm run admin/),
      },
      { line: 5, message: 'id is in an earlier row of the file' },
    ]);
    expect((await world.platform.members.find(one.id))?.associations[0]).toMatchObject({
      location: { country: 'US', region: 'TX', city: 'Austin' },
      attributes: { plan: ['yearly'], employer: ['Harbour Books', 'Corner Coffee'] },
    });
    expect(await lastAudit()).toMatchObject({
      command: 'member attributes import',
      change: { before: { attributes: {}, location: null }, after: { attributes: { plan: ['yearly'] } } },
    });
    const again = await imported(content.split('\n').slice(0, 2).join('\n'), '--of', shop);
    expect(done(again)).toMatchObject({ changed: 0, unchanged: 1 });
  });

  it('stores tiers of members, by name or number', async () => {
    const [one, other] = [await newShopper(world), await newShopper(world)];
    done(await imported(`id,tier\n${one.externalId},Gold\n${other.externalId},1`, '--of', program));
    const tierOf = async ({ id }: { id: number }) =>
      (await world.platform.members.find(id))?.memberships[0]?.statusTierId;
    expect([await tierOf(one), await tierOf(other)]).toEqual([2, 1]);
    const { json } = await imported(`id,tier\n${one.externalId},Platinum`, '--of', program);
    expect(json.faults).toEqual([
      { line: 2, message: 'tier is not in the registry of status tiers: 1 (Silver), 2 (Gold)' },
    ]);
  });

  it('refuses rows with unknown columns or malformed locations', async () => {
    const { externalId } = await newShopper(world);
    const { json } = await imported(`id,plan,country,region\n${externalId},yearly,usa,TX`, '--of', shop);
    expect(json).toMatchObject({ changed: 0, faults: [{ line: 2 }] });
    expect(json.faults[0].message).toMatch(/plan: is not a column of this file/);
    expect(json.faults[0].message).toMatch(/country: has to be two capital letters/);
    const without = await imported(`id,region\n,TX`, '--of', shop);
    expect(without.json.faults[0].message).toMatch(/id: is missing/);
  });
});

it('a draft of the partner may refer to the registries of both sides', async () => {
  const both = { ...forTiers({ statusTiers: ['Gold'] }) };
  const [flow] = both.flows;
  const conditions = [{ attribute: 'CUSTOM', operator: 'IS_IN', name: 'plan', values: ['monthly'] }];
  const document = { ...both, flows: [{ ...flow, conditionGroups: [{ conditions }] }] };
  const id = await draft(document, partner);
  done(await campaign('approve', id, ...partner));
  expect((await world.platform.registries.find(world.demo.merchant.id)).approvals).toBeGreaterThan(0);
});
