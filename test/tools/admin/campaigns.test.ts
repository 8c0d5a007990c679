import { describe, expect, it } from 'vitest';
import { approveCampaign } from '../../../shared/operations/campaign/change-campaign.ts';
import { partnershipWrite } from '../../../shared/store/campaign/partnerships.ts';
import { aSecondProgram } from '../../support/second-program.ts';
import {
  admin,
  approveByBoth,
  award,
  campaign,
  done,
  draft,
  earn,
  eventsOf,
  file,
  inAnHour,
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

describe('campaign commands', () => {
  it('start a campaign after both approvals, and list the missing approvals until then', async () => {
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
    expect((await admin.read(`campaign show ${id}`)).out).toMatch(/rejected by Skyline Miles\s+too many points/);
    done(await campaign('approve', id, ...partner));
    expect(done(await campaign('approve', id, ...merchant)).campaign).toMatchObject({ status: 'ACTIVE', draft: null });
    expect(await eventsOf(id)).toEqual(['campaign_activated']);
    expect(done(await campaign('show', id, '--version', 1)).version.approvals).toHaveLength(2);
  });

  it('activate a campaign before its start, pause, resume, end and delete it', async () => {
    const id = await draft({ ...earn, startsAt: inAnHour() }, partner);
    expect(done(await campaign('approve', id, ...partner)).campaign.status).toBe('SCHEDULED');
    expect(done(await campaign('activate', id, ...partner)).campaign.status).toBe('ACTIVE');
    expect(done(await campaign('pause', id, ...merchant)).campaign).toMatchObject({ status: 'PAUSED', pausedBy: 1 });
    expect(refusal(await campaign('resume', id, ...partner))).toMatch(
      /only organisation 1 \(Corner Coffee\), which paused campaign \d+ \(/,
    );
    done(await campaign('resume', id, ...merchant));
    done(await campaign('end', id, ...merchant));
    expect(refusal(await campaign('delete', id, ...merchant))).toMatch(
      /only organisation 2 \(Skyline Miles\), which made campaign/,
    );
    done(await campaign('delete', id, ...partner));

    const sent = (await eventsOf(id)).filter((name) => name !== 'campaign_scheduled').toSorted();
    expect(sent).toEqual([
      'campaign_activated',
      'campaign_ended',
      'campaign_updated',
      'campaign_updated',
      'campaign_updated',
    ]);
    const listed = done(await campaign('list', 'Corner Coffee')).campaigns.map((one: { id: number }) => one.id);
    expect(listed).not.toContain(id);
  });

  it('end a campaign after a confirmation, with an audit entry', async () => {
    const id = await draft();
    await approveByBoth(id);
    const end = ['campaign', 'end', String(id), ...merchant];
    const refused = await admin.person(() => 'n', ...end);
    expect(refused).toMatchObject({
      status: 1,
      asked: [expect.stringContaining(`End campaign ${id} (Spring)?`)],
    });
    expect((await admin.person(() => 'y', ...end)).out).toBe(`Campaign ${id} is ENDED.\n`);
    expect((await admin.read('audit list')).out).toMatch(
      new RegExp(`ended campaign ${id} \\(.+\\) as organisation 1 \\(Corner Coffee\\)`),
    );
  });

  it('apply the due schedule of a campaign before the requested change', async () => {
    const endsAt = new Date(Date.now() + 800).toISOString();
    const id = await draft({ ...earn, endsAt });
    await approveByBoth(id);
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(endsAt));

    expect(refusal(await campaign('pause', id, ...merchant))).toMatch(/is ENDED: it becomes PAUSED only from ACTIVE/);
    expect((await eventsOf(id)).toSorted()).toEqual([
      'campaign_activated',
      'campaign_ended',
      'campaign_scheduled',
      'campaign_scheduled',
    ]);
  });

  it('announce the schedule of a campaign again when an operator calls `advance`', async () => {
    const id = await draft({ ...earn, startsAt: inAnHour() });
    await approveByBoth(id);
    done(await campaign('advance', id));
    expect(await eventsOf(id)).toEqual(['campaign_scheduled', 'campaign_scheduled']);
  });

  it('refuse to approve cashback when the partnership no longer allows it', async () => {
    const sides = ['--merchant', 'Harbour Books', '--partner', 'Skyline Miles'];
    const { json } = await admin.script('partnership create "Books × Miles"', ...sides, '--cashback');
    const cashback = { ...earn.flows[0], actions: [{ kind: 'AWARD_CASHBACK', shareBp: 100 }] };
    const content = file({ ...earn, flows: [cashback] });
    const made = done(await campaign('apply', content, ...partner, '--partnership', 'Books × Miles'));
    const found = await world.platform.partnerships.find(json.partnership.uuid);
    if (found) await world.platform.table.write(partnershipWrite({ ...found, allowsCashback: false }));

    expect(refusal(await campaign('approve', made.campaign.id, ...partner))).toMatch(
      /the next version has a fault:\n.*does not allow cashback/,
    );
  });

  it('refuse to approve a campaign whose trigger is inactive', async () => {
    const trigger = { name: 'shop_visited', description: null, contextSchema: { fields: {} } };
    const apply = (more: object) =>
      admin.script(`trigger apply "${partnership}"`, temporaryFile('trigger.json', { ...trigger, ...more }));
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

  it('discard the next version of a campaign, and leave the campaign running', async () => {
    const id = await shared();
    const { document } = done(await campaign('show', id)).campaign.live;
    done(await campaign('apply', file({ ...document, name: 'Not this' }), ...partner));
    expect(done(await campaign('discard', id, ...merchant)).campaign).toMatchObject({ status: 'ACTIVE', draft: null });
  });
});

/** Sets, as the given side, whether campaigns need the approval of the partner whose points they move. */
const approval = (value: string, as: readonly string[]) =>
  admin.script(`partnership approval "${partnership}" "${value}"`, ...as);

describe('a campaign that moves partner points', () => {
  it('runs no version before the partner approves', async () => {
    const id = await draft();
    const { out } = await admin.read(`campaign approve ${id}`, ...merchant);
    expect(out).toBe(`Campaign ${id} is IN_REVIEW. It needs the approval of Skyline Miles.\n`);
    expect((await admin.read(`campaign show ${id}`)).out).toMatch(/needs the approval of\s+Skyline Miles/);
    expect(done(await campaign('approve', id, ...partner)).campaign).toMatchObject({ status: 'ACTIVE', draft: null });

    const content = file({
      ...earn,
      name: 'More',
      flows: [{ ...earn.flows[0], actions: [{ ...award, pointsPerDollarBp: 90_000 }] }],
    });
    done(await campaign('apply', content, ...merchant, '--campaign', id));
    expect(done(await campaign('approve', id, ...merchant)).campaign).toMatchObject({
      live: { version: 1, document: { name: 'Spring' } },
      draft: { version: 2, status: 'IN_REVIEW', missingApprovals: [2] },
    });
    expect((await admin.read('audit list')).out).toMatch(
      new RegExp(`approved campaign ${id} \\(.+\\) as organisation 1`),
    );
  });

  it('runs without the partner’s approval under a waiver', async () => {
    expect(refusal(await approval('not_needed', merchant))).toMatch(
      /only the partner, organisation 2 \(Skyline Miles\), decides/,
    );
    expect(done(await approval('not_needed', partner)).partnership.partnerApproval).toBe('not_needed');
    expect((await admin.read(`partnership show "${partnership}"`)).out).toContain('without its approval');
    expect((await admin.read('audit list')).out).toContain('approval of campaigns to not_needed');
    const id = await draft();
    expect(done(await campaign('approve', id, ...merchant)).campaign.status).toBe('ACTIVE');

    done(await approval('needed', partner));
    done(await campaign('apply', file({ ...earn, name: 'Again' }), ...merchant, '--campaign', id));
    expect(done(await campaign('approve', id, ...merchant)).campaign.draft).toMatchObject({ missingApprovals: [2] });
  });

  it('does not run when the waiver ends during approval', async () => {
    done(await approval('not_needed', partner));
    const campaignId = await draft();
    const confirm = async () => {
      done(await approval('needed', partner));
    };
    await expect(approveCampaign({ campaignId, as: { id: 1 }, confirm }, world.platform)).rejects.toThrow(
      `campaign ${campaignId} was changed meanwhile`,
    );
    expect(done(await campaign('show', campaignId)).campaign).toMatchObject({ status: 'DRAFT', live: null });
  });

  it('needs both partners’ approval for a transfer', async () => {
    const hotels = await aSecondProgram(world);
    const transfer = {
      kind: 'TRANSFER_POINTS',
      fromPartnerId: 2,
      toPartnerId: hotels.id,
      conversionRateBp: 1,
      increment: 1,
    };
    const flows = [{ trigger: { type: 'SPEND' }, actions: [transfer] }];
    const id = await draft({ ...earn, type: 'TRANSFER', flows });
    expect(await approveByBoth(id)).toMatchObject({ status: 'IN_REVIEW', draft: { missingApprovals: [hotels.id] } });
    expect(done(await campaign('approve', id, '--as', String(hotels.id))).campaign.status).toBe('ACTIVE');
  });
});

describe('a copied campaign', () => {
  it('is a draft with the same parts and owners as the original', async () => {
    const id = await shared();
    const { campaign: copy } = done(await campaign('duplicate', id, ...merchant));
    const original = done(await campaign('show', id)).campaign.live.document;
    expect(copy).toMatchObject({
      status: 'DRAFT',
      draft: { missingApprovals: [1, 2], document: { name: 'Copy of Spring', flows: original.flows } },
    });
  });

  it('needs only the approval of the organisation that owns the template', async () => {
    const id = await shared({ goals: [{ type: 'POINTS_EARNED', target: 9 }] });
    const { template } = done(await admin.script(`template create ${id}`, ...partner));
    const ownersOf = ({
      flows,
      goals,
    }: {
      flows: { actions: { ownerId: number }[] }[];
      goals: { ownerId: number }[];
    }) => new Set([...(flows[0]?.actions ?? []), ...goals].map(({ ownerId }) => ownerId));
    expect(ownersOf(template.document)).toEqual(new Set([2]));

    const use = ['template', 'use', String(template.id), '--partnership', partnership] as const;
    expect(refusal(await admin.script(...use, ...merchant))).toMatch(
      /neither organisation 1 \(Corner Coffee\) nor the platform has a template/,
    );
    const { campaign: made } = done(await admin.script(...use, ...partner));
    expect(made).toMatchObject({
      status: 'DRAFT',
      draft: { templateId: template.id, missingApprovals: [2], document: { endsAt: null } },
    });
    expect(done(await campaign('approve', made.id, ...partner)).campaign.status).toBe('ACTIVE');
  });

  it('needs both sides’ approval when a merchant made it from a template of the platform', async () => {
    const { templates } = done(await admin.script('template list "Corner Coffee"'));
    const offered = templates.find(({ ownerId }: { ownerId: number }) => ownerId === 0);
    const { campaign: made } = done(
      await admin.script(`template use ${offered.id}`, ...merchant, '--partnership', partnership),
    );
    expect(made.draft.missingApprovals).toEqual([1, 2]);
    expect((await admin.read('template list "Corner Coffee"')).out).toContain('the platform');
  });
});
