import { beforeAll, describe, expect, it } from 'vitest';
import type { Facts, Usage } from '../../../shared/domain/campaign/document/facts.ts';
import { usageName } from '../../../shared/domain/campaign/document/facts.ts';
import type { Decision, FlowResult } from '../../../shared/domain/campaign/evaluation/decision.ts';
import { evaluate } from '../../../shared/domain/campaign/evaluation/evaluate.ts';
import { periodOf } from '../../../shared/domain/period.ts';
import { makeShowcase } from '../../../tools/admin/demo/showcase.ts';
import { facts } from '../../domain/fixtures.ts';
import { makeWorld, type World } from '../../support/world.ts';

/** The campaigns that `npm start` begins with give what their descriptions promise. */

let world: World;
let demo: Awaited<ReturnType<typeof makeShowcase>>;
beforeAll(async () => {
  world = await makeWorld();
  demo = await makeShowcase(world.platform);
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

interface Told {
  result: FlowResult | undefined;
  points: number | undefined;
  cents: number | undefined;
}

/** What becomes of the only flow, and what it gives. */
const told = ({ flows: [flow] }: Decision): Told => ({
  result: flow?.result,
  points: flow?.actions[0]?.points,
  cents: flow?.actions[0]?.cashbackCents,
});

const points = (amount: number): Told => ({ result: 'REWARDED', points: amount, cents: 0 });
const cents = (amount: number): Told => ({ result: 'REWARDED', points: 0, cents: amount });
const nothing = (result: FlowResult): Told => ({ result, points: undefined, cents: undefined });

const claim = (amountCents: number) => ({ amountCents });
const livingIn = (country: string) => ({
  trigger: { type: 'REGISTRATION' as const },
  location: { country, region: null, city: null },
});

describe('the demonstration', () => {
  it.each<[string, Name, Partial<Facts>, Told]>([
    ['welcomes who lives in Canada', 'welcome', livingIn('CA'), points(250)],
    ['welcomes gold members doubly', 'welcome', { ...livingIn('US'), statusTierId: 2 }, points(500)],
    ['welcomes nobody elsewhere', 'welcome', livingIn('FR'), nothing('NOT_QUALIFIED')],
    [
      'welcomes nobody of whom it does not know',
      'welcome',
      { ...livingIn('US'), location: null },
      nothing('NOT_QUALIFIED'),
    ],
    ['thanks who brings a friend', 'referral', { trigger: { type: 'REFERRAL' } }, points(500)],
    ['gives money back on $100.01', 'cashback', claim(10_001), cents(500)],
    ['gives money back on $500 at most', 'cashback', claim(60_000), cents(2_500)],
    ['gives no money back on $100', 'cashback', claim(10_000), nothing('NOT_QUALIFIED')],
    ['gives two miles for a dollar', 'earn', claim(10_001), points(200)],
  ])('%s', async (_, name, happened, expected) => {
    expect(told(await decide(name, happened))).toEqual(expected);
  });

  it('rewards signups by their plan, once a year', async () => {
    const { flows } = await campaign('signup');
    const trigger = flows[0]?.trigger ?? { type: 'SPEND' };
    const signup = (plan: string) => ({ trigger, attributes: { plan: [plan] } });
    const year = periodOf('YEAR', world.platform.now().toISOString(), 'America/New_York');
    const used = { [usageName(flows[0]?.limits[0]?.id ?? 0, year)]: 1 };

    expect(trigger).toMatchObject({ type: 'CUSTOM', customTriggerId: expect.any(Number) });
    expect(told(await decide('signup', signup('monthly')))).toEqual(points(250));
    expect(told(await decide('signup', signup('yearly')))).toEqual(points(500));
    expect(told(await decide('signup', signup('free')))).toEqual(nothing('NOT_QUALIFIED'));
    expect(told(await decide('signup', signup('yearly'), used))).toEqual(nothing('LIMIT_REACHED'));
  });

  it('runs all of it', async () => {
    const found = await world.platform.campaigns.partnership(demo.partnership.uuid);
    const running = found?.campaigns.filter(({ campaign: { status } }) => status === 'ACTIVE') ?? [];
    expect(new Set(running.map(({ campaign: { id } }) => id))).toEqual(new Set(Object.values(demo.campaigns)));
  });
});
