import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { contract as listContract } from '../../../functions/campaign/list-campaigns/contract.ts';
import { handler as listCampaigns } from '../../../functions/campaign/list-campaigns/handler.ts';
import type { Campaign } from '../../../shared/domain/campaign/document/campaign.ts';
import { openProgramAccount } from '../../../shared/operations/member/program-accounts.ts';
import { TotalsCounter } from '../../../shared/store/ledger/totals.ts';
import { call } from '../../support/call.ts';
import { runCampaign } from '../../support/campaigns.ts';
import { linkCard, pin } from '../../support/connect-story.ts';
import { readBooks } from '../../support/reconcile.ts';
import { aSecondProgram } from '../../support/second-program.ts';
import { makeWorld, type World } from '../../support/world.ts';

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

const register = (memberId: string) =>
  linkCard({ apiKey: world.demo.merchant.apiKey, partnerId: world.demo.partner.id, memberId });

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
});
