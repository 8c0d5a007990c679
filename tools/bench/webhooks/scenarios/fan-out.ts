import { Fleet } from '../fleet.ts';
import { linesOf, measuresOf, notesOf } from '../lines.ts';
import { type Round, runRound, warmUp } from '../round.ts';
import type { Scenario, ScenarioContext, ScenarioResult } from '../scenario.ts';
import { type BurstSide, bareName, burstTopic, runBursts } from './burst.ts';

const waitMs = 60_000;

interface Load {
  readonly rate: number;
  readonly seconds: number;
  readonly fanOut: number;
}

/** Publishes at a constant rate. */
async function runSteadily(side: BurstSide, { rate, seconds, fanOut }: Load): Promise<Round> {
  const perSecond = rate / fanOut;
  const load = { ...side, perSecond, topicOf: () => burstTopic, waitMs };
  await warmUp(load);
  return runRound({ ...load, count: Math.ceil(perSecond * seconds) });
}

/** One event for each of some endpoints: first at a constant rate, then as fast as the sender can. */
async function run(endpoints: number, context: ScenarioContext): Promise<ScenarioResult> {
  const { name, sender, ceiling, receivers, rate, seconds } = context;
  const fanOut = Math.min(endpoints, sender.maximumFanOut ?? endpoints);
  const plans = Array.from({ length: fanOut }, () => ({ behaviour: 'fast', topic: burstTopic }) as const);
  const own = { sender, fleet: await Fleet.open(receivers, sender, plans) };
  const bare = { sender: ceiling, fleet: await Fleet.open(receivers, ceiling, plans) };
  const load = { rate, seconds, fanOut };
  const steady = await runSteadily(own, load);
  const bareSteady = await runSteadily(bare, load);
  const { perSecond, ceilingShare, ...bursts } = await runBursts(name, own, bare);

  const rounds = [steady, ...bursts.rounds];

  const named = `1→${fanOut}, ${rate}/s`;
  const ownLines = linesOf(steady, { sender: name, load: named, fleet: own.fleet });
  const bareLines = linesOf(bareSteady, { sender: bareName, load: named, fleet: bare.fleet });
  const lines = [...ownLines, ...bareLines, ...bursts.lines];
  return {
    lines,
    notes: rounds.flatMap(notesOf),
    measures: {
      // With one endpoint: so the figures do not depend on how many endpoints a sender allows.
      ...(endpoints === 1 && { perSecond, ceilingShare }),
      ...measuresOf(
        lines.filter((line) => line.sender === name),
        rounds,
      ),
    },
  };
}

export const oneToOne: Scenario = {
  name: 'one',
  about: 'one event for one endpoint',
  run: (context) => run(1, context),
};

export const oneToMany: Scenario = {
  name: 'fan-out',
  about: 'one event for 50 endpoints, or as many as the sender allows',
  run: (context) => run(50, context),
};
