import { median } from '../../report.ts';
import { Fleet } from '../fleet.ts';
import { type Round, runRound, warmUp } from '../round.ts';
import {
  type Lengths,
  type Line,
  linesOf,
  measuresOf,
  notesOf,
  type Scenario,
  type ScenarioContext,
  type ScenarioResult,
} from '../scenario.ts';
import type { Sender } from '../sender.ts';

const waitMs = 60_000;
const warmUpDeliveries = 400;
const mostDeliveries = 10_000;

/** The topic of all events. */
const topic = 'one';
/** The name of bare Node in the tables. */
const bareName = 'bare Node';

/** A sender with one endpoint. */
interface Side {
  readonly sender: Sender;
  readonly fleet: Fleet;
}

async function openSide(sender: Sender, receivers: ScenarioContext['receivers']): Promise<Side> {
  return { sender, fleet: await Fleet.open(receivers, sender, [{ behaviour: 'fast', topic }]) };
}

/** Publishes at a constant rate. */
async function runSteadily(side: Side, { rate, seconds, lengths }: ScenarioContext): Promise<Round> {
  const load = { ...side, perSecond: rate, topicOf: () => topic, waitMs };
  await warmUp(load, lengths.warmUpSeconds);
  return runRound({ ...load, count: Math.ceil(rate * seconds) });
}

/** Publishes events first at a constant rate, then as fast as the sender can. */
async function runOneToOne(context: ScenarioContext): Promise<ScenarioResult> {
  const { name, sender, ceiling, receivers, rate } = context;
  const own = await openSide(sender, receivers);
  const bare = await openSide(ceiling, receivers);
  const steady = await runSteadily(own, context);
  const bareSteady = await runSteadily(bare, context);
  const { perSecond, ceilingShare, ...bursts } = await runBursts({ name, own, bare, lengths: context.lengths });

  const rounds = [steady, ...bursts.rounds];
  const load = `${rate}/s`;
  const lines = [
    ...linesOf(steady, { sender: name, load, fleet: own.fleet }),
    ...linesOf(bareSteady, { sender: bareName, load, fleet: bare.fleet }),
    ...bursts.lines,
  ];
  const ownLines = lines.filter((line) => line.sender === name);
  return {
    lines,
    notes: rounds.flatMap(notesOf),
    measures: { perSecond, ceilingShare, ...measuresOf(ownLines, rounds) },
  };
}

export const oneToOne: Scenario = {
  name: 'one',
  about: 'one event for one endpoint',
  run: runOneToOne,
};

interface BurstOptions {
  readonly name: string;
  readonly own: Side;
  readonly bare: Side;
  readonly lengths: Lengths;
}

/** The throughput of a sender, compared with bare Node. */
interface BurstResult {
  readonly lines: readonly Line[];
  readonly rounds: readonly Round[];
  readonly perSecond: number;
  readonly ceilingShare: number;
}

/** Publishes bursts of events by turns through a sender and through bare Node. */
async function runBursts({ name, own, bare, lengths }: BurstOptions): Promise<BurstResult> {
  const { pairs, burstSeconds } = lengths;
  const sides = { own: await prepare(own, burstSeconds), bare: await prepare(bare, burstSeconds) };
  const measured: { readonly own: Round; readonly bare: Round }[] = [];
  for (let nth = 0; nth < pairs; nth += 1) {
    measured.push({ own: await burst(sides.own), bare: await burst(sides.bare) });
  }

  const ceilingShare = median(measured.map((pair) => rateOf(pair.own, own) / rateOf(pair.bare, bare)));
  const ownRounds = measured.map((pair) => pair.own);
  const bareRounds = measured.map((pair) => pair.bare);
  const ownRound = middleOf(ownRounds, own);
  const ownLines = linesOf(ownRound, { sender: name, load: 'at once', fleet: own.fleet });
  return {
    lines: [
      ...ownLines.map((line) => ({ ...line, ceilingShare })),
      ...linesOf(middleOf(bareRounds, bare), { sender: bareName, load: 'at once', fleet: bare.fleet }),
    ],
    rounds: ownRounds,
    perSecond: rateOf(ownRound, own),
    ceilingShare,
  };
}

/** The round with the median rate. */
function middleOf(rounds: readonly Round[], side: Side): Round {
  const sorted = rounds.toSorted((one, other) => rateOf(one, side) - rateOf(other, side));
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (!middle) throw new RangeError('the median needs at least one round');
  return middle;
}

interface SizedSide extends Side {
  /** Events of each burst. */
  readonly count: number;
}

/** Warms up a side, and finds out how many events a burst of a length needs. */
async function prepare(side: Side, seconds: number): Promise<SizedSide> {
  const first = { ...side, count: warmUpDeliveries };
  await burst(first);
  const deliveries = Math.min(mostDeliveries, rateOf(await burst(first), side) * seconds);
  return { ...first, count: Math.ceil(Math.max(warmUpDeliveries, deliveries)) };
}

const burst = ({ sender, fleet, count }: SizedSide): Promise<Round> =>
  runRound({ sender, fleet, count, perSecond: Number.POSITIVE_INFINITY, topicOf: () => topic, waitMs });

const rateOf = (round: Round, { fleet }: Side): number =>
  linesOf(round, { sender: '', load: '', fleet }).reduce((sum, { perSecond }) => sum + perSecond, 0);
