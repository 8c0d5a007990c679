import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { contract as listContract } from '../../../functions/campaign/list-campaigns/contract.ts';
import { handler as listCampaigns } from '../../../functions/campaign/list-campaigns/handler.ts';
import type { Campaign } from '../../../shared/domain/campaign/document/campaign.ts';
import { unlinkAccount } from '../../../shared/operations/connect/unlink-account.ts';
import { openProgramAccount } from '../../../shared/operations/member/program-accounts.ts';
import { TotalsCounter } from '../../../shared/store/ledger/totals.ts';
import { all, flow, own, perMember, registration } from '../../domain/campaign/campaign-parts.ts';
import { call } from '../../support/call.ts';
import { runCampaign } from '../../support/campaigns.ts';
import { linkCard, pin } from '../../support/connect-story.ts';
import { readBooks } from '../../support/reconcile.ts';
import { aSecondProgram } from '../../support/second-program.ts';
import { makeWorld, type World } from '../../support/world.ts';
import { run, stateOf } from '../../tools/admin/command-line.ts';

let world: World;
let running: Campaign;
let others: Campaign[];

const key = () => ({ 'x-api-key': world.demo.merchant.apiKey });
const connectOnly = (more: Partial<Campaign>) =>
  runCampaign(world, {
    type: 'CONNECT_ONLY',
    flows: [],
    goals: [{ id: 90, ownerId: 2, type: 'REGISTRATIONS', target: 2 }],
    ...more,
  });

const register = (memberId: string, user: object = {}) =>
  linkCard({ apiKey: world.demo.merchant.apiKey, partnerId: world.demo.partner.id, memberId, user });

async function newAccount(): Promise<string> {
  const memberId = `acc-${randomUUID()}`;
  const email = `${memberId}@example.com`;
  const holder = { memberId, pin, firstName: 'Linus', lastName: 'Pauling', email, statusTierId: 1, points: 700 };
  await openProgramAccount(world.demo.partner.id, holder, world.platform);
  return memberId;
}

/** Counts all ledger entries, then returns what endpoint 9 shows of each campaign. */
async function shown() {
  await new TotalsCounter(world.platform.table).count((await readBooks(world.table)).entries, new Date());
  const { body } = await call(listCampaigns, listContract, { query: { campaign_types: '3' }, headers: key() });
  return new Map<number, { total_registrations: number; total_rewards: number; goals: object[] }>(
    body.data.campaigns.map((campaign: { id: number }) => [campaign.id, campaign]),
  );
}

beforeAll(async () => {
  world = await makeWorld();
  const other = await aSecondProgram(world);
  running = await connectOnly({});
  others = [
    await connectOnly({ status: 'PAUSED' }),
    await connectOnly({ startsAt: '2100-01-01T00:00:00.000Z', status: 'SCHEDULED' }),
    await connectOnly({ endsAt: '2020-01-02T00:00:00.000Z' }),
    await connectOnly({ partnershipUuid: other.partnership.uuid, partnerId: other.id }),
  ];
});

describe('a connect-only campaign', () => {
  it('counts registrations while it runs, each member once', async () => {
    const first = await newAccount();
    await register(first);
    await register(await newAccount());
    // A repeated link is not counted.
    await register(first);
    await shown();

    const campaigns = await shown();
    expect(campaigns.get(running.id)).toMatchObject({
      total_registrations: 2,
      total_rewards: 0,
      goals: [{ goal_type: 1, goal_value: 2, current_value: 2, is_reached: 1 }],
    });
    for (const { id } of others) {
      expect(campaigns.get(id)).toMatchObject({ total_registrations: 0, goals: [{ current_value: 0, is_reached: 0 }] });
    }
  });

  it('counts only the members for whom its conditions hold at the link, and explains why', async () => {
    const canadianOf = (tier: number) =>
      flow([], {
        ...registration,
        conditionGroups: [
          all(
            { id: 71, ...own, attribute: 'GEOGRAPHY', operator: 'IS_IN', values: ['CA'] },
            { id: 72, ...own, attribute: 'CUSTOMER_STATUS', operator: 'IS_IN', statusTierIds: [tier] },
          ),
        ],
        limits: [perMember('EVENTS', 1)],
      });
    const [platinum, silver] = await Promise.all([2, 1].map((tier) => connectOnly({ flows: [canadianOf(tier)] })));
    const [abroad, home] = [await newAccount(), await newAccount()];
    await register(abroad, { external_id: abroad });
    await register(home, { external_id: home, location: { country: 'CA', region: null, city: null } });

    const campaigns = await shown();
    expect(campaigns.get(platinum?.id ?? 0)).toMatchObject({ total_registrations: 0 });
    expect(campaigns.get(silver?.id ?? 0)).toMatchObject({ total_registrations: 1 });

    const { members } = world.platform;
    const member = await members.find((await members.findUserId(world.demo.partner.id, abroad)) ?? 0);
    const id = String(member?.memberships[0]?.id);
    const { out: why } = await run(['member', 'why', id, '--state-dir', stateOf(world.table)]);
    expect(why).toContain(`Campaign ${silver?.id} did not count the member as registered`);
    expect(why).toContain(`Campaign ${running.id} counted the member as registered`);
    expect(why).toContain('the merchant reported no location');
  });

  it('charges its limit with the member, and counts no member again after an unlink', async () => {
    const { demo, platform } = world;
    const limited = await connectOnly({ flows: [flow([], { ...registration, limits: [perMember('EVENTS', 1)] })] });
    const memberId = await newAccount();
    const registrations = async () => (await shown()).get(limited.id)?.total_registrations;
    await register(memberId, { external_id: memberId });
    const member = await platform.members.findByExternalId(demo.partner.id, memberId);
    const [membership] = member?.memberships ?? [];
    expect(await registrations()).toBe(1);
    const { decisions } = (await platform.links.findDecisions(membership?.id ?? 0)) ?? {};
    expect(decisions?.find(({ campaignId }) => campaignId === limited.id)?.flows).toMatchObject([
      { result: 'COUNTED', limits: [{ used: 0, effect: 'NONE', charge: 1 }] },
    ]);

    for (const customer of [memberId, `another-${memberId}`]) {
      const place = { partnerId: demo.partner.id, merchantId: demo.merchant.id };
      await unlinkAccount({ userId: member?.user.id ?? 0, ...place }, platform);
      await register(memberId, { external_id: customer });
      expect(await registrations()).toBe(1);
    }
  });
});
