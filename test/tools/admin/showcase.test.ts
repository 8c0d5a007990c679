import { beforeAll, describe, expect, it } from 'vitest';
import type { Facts, Usage } from '../../../shared/domain/campaign/document/facts.ts';
import { usageName } from '../../../shared/domain/campaign/document/facts.ts';
import type { Decision, FlowResult } from '../../../shared/domain/campaign/evaluation/decision.ts';
import { evaluate } from '../../../shared/domain/campaign/evaluation/evaluate.ts';
import { periodOf } from '../../../shared/domain/period.ts';
import { addShowcase } from '../../../tools/admin/demo/world.ts';
import { facts } from '../../domain/fixtures.ts';
import { makeWorld, type World } from '../../support/world.ts';

/** The campaigns of `npm start` reward as their descriptions promise. */

let world: World;
let demo: Awaited<ReturnType<typeof addShowcase>>;
beforeAll(async () => {
  world = await makeWorld();
  demo = await addShowcase(world.demo, world.platform);
});

type Name = keyof typeof demo.campaigns;

async function campaign(name: Name) {
  const found = await world.platform.campaigns.partnership(demo.partnership.uuid);
  const one = found?.campaigns.find(({ campaign: { id } }) => id === demo.campaigns[name])?.campaign;
  if (!one) throw new Error(`there is no campaign ${name}`);
  return one;
}

async function decide(name: Name, more: Partial<Facts>, usage: Usage = {}): Promise<Decision> {
  const now = world.platform.now().toISOString();
  return evaluate(await campaign(name), facts({ occurredAt: now, amountCents: null, ...more }), usage);
}

interface Reward {
  result: FlowResult | undefined;
  points: number | undefined;
  cents: number | undefined;
}

/** The result of the only flow, and its reward. */
const rewardOf = ({ flows: [flow] }: Decision): Reward => ({
  result: flow?.result,
  points: flow?.actions[0]?.points,
  cents: flow?.actions[0]?.cashbackCents,
});

const points = (amount: number): Reward => ({ result: 'REWARDED', points: amount, cents: 0 });
const cents = (amount: number): Reward => ({ result: 'REWARDED', points: 0, cents: amount });
const nothing = (result: FlowResult): Reward => ({ result, points: undefined, cents: undefined });

const claim = (amountCents: number) => ({ amountCents });
const livingIn = (country: string) => ({
  trigger: { type: 'REGISTRATION' as const },
  location: { country, region: null, city: null },
});

describe('the demonstration', () => {
  it.each<[string, Name, Partial<Facts>, Reward]>([
    ['welcomes a member in Canada', 'welcome', livingIn('CA'), points(250)],
    ['welcomes a gold member with twice the points', 'welcome', { ...livingIn('US'), statusTierId: 2 }, points(500)],
    ['does not welcome a member in France', 'welcome', livingIn('FR'), nothing('NOT_QUALIFIED')],
    [
      'does not welcome a member without a known location',
      'welcome',
      { ...livingIn('US'), location: null },
      nothing('NOT_QUALIFIED'),
    ],
    ['rewards a referral', 'referral', { trigger: { type: 'REFERRAL' } }, points(500)],
    ['gives cashback for $100.01', 'cashback', claim(10_001), cents(500)],
    ['gives cashback for at most $500', 'cashback', claim(60_000), cents(2_500)],
    ['gives no cashback for $100', 'cashback', claim(10_000), nothing('NOT_QUALIFIED')],
    ['gives two miles per dollar', 'earn', claim(10_001), points(200)],
  ])('%s, as its campaign file describes', async (_, name, changes, expected) => {
    expect(rewardOf(await decide(name, changes))).toEqual(expected);
  });

  it('rewards one signup a year, with points that depend on the plan', async () => {
    const { flows } = await campaign('signup');
    const trigger = flows[0]?.trigger ?? { type: 'SPEND' };
    const signup = (plan: string) => ({ trigger, attributes: { plan: [plan] } });
    const year = periodOf('YEAR', world.platform.now().toISOString(), 'America/New_York');
    const used = { [usageName(flows[0]?.limits[0]?.id ?? 0, year)]: 1 };

    expect(trigger).toMatchObject({ type: 'CUSTOM', customTriggerId: expect.any(Number) });
    expect(rewardOf(await decide('signup', signup('monthly')))).toEqual(points(250));
    expect(rewardOf(await decide('signup', signup('yearly')))).toEqual(points(500));
    expect(rewardOf(await decide('signup', signup('free')))).toEqual(nothing('NOT_QUALIFIED'));
    expect(rewardOf(await decide('signup', signup('yearly'), used))).toEqual(nothing('LIMIT_REACHED'));
  });

  it('has a running campaign for every campaign file', async () => {
    const found = await world.platform.campaigns.partnership(demo.partnership.uuid);
    const running = found?.campaigns.filter(({ campaign: { status } }) => status === 'ACTIVE') ?? [];
    expect(new Set(running.map(({ campaign: { id } }) => id))).toEqual(new Set(Object.values(demo.campaigns)));
  });
});
