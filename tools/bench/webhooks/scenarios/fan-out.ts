import { median } from '../../report.ts';
import { Fleet } from '../fleet.ts';
import { type Round, runRound, warmUp } from '../round.ts';
import {
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

/** Publishes events that each go to several endpoints: first at a constant rate, then as fast as the sender can. */
async function runFanOut(endpoints: number, context: ScenarioContext): Promise<ScenarioResult> {
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
      // These figures are promised for one endpoint only. So they do not depend on how many endpoints a sender allows.
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
  run: (context) => runFanOut(1, context),
};

export const oneToMany: Scenario = {
  name: 'fan-out',
  about: 'one event for 50 endpoints, or as many as the sender allows',
  run: (context) => runFanOut(50, context),
};

/**
 * The number of pairs of rounds: one round of the sender, one of bare Node. Other load slows both rounds of a pair, so
 * it changes the comparison little.
 */
const pairs = 3;
const warmUpDeliveries = 400;
/** A burst takes about this long at the speed of the warm-up. */
const burstSeconds = 1.5;
const mostDeliveries = 10_000;

/** The topic of all events of bursts. */
const burstTopic = 'burst';
/** The name of bare Node in the tables. */
const bareName = 'bare Node';

/** A sender with endpoints of {@link burstTopic}. */
interface BurstSide {
  readonly sender: Sender;
  readonly fleet: Fleet;
}

/** The throughput of a sender, compared with bare Node. */
interface BurstResult {
  readonly lines: readonly Line[];
  readonly rounds: readonly Round[];
  readonly perSecond: number;
  readonly ceilingShare: number;
}

/** Publishes bursts of events by turns through a sender and through bare Node. Both have endpoints of the same kind. */
async function runBursts(name: string, own: BurstSide, bare: BurstSide): Promise<BurstResult> {
  const sides = { own: await prepare(own), bare: await prepare(bare) };
  const measured: { readonly own: Round; readonly bare: Round }[] = [];
  for (let nth = 0; nth < pairs; nth += 1) {
    measured.push({ own: await burst(sides.own), bare: await burst(sides.bare) });
  }

  const ceilingShare = median(measured.map((pair) => rateOf(pair.own, own) / rateOf(pair.bare, bare)));
  const [ownRound, bareRound] = [
    middleOf(
      measured.map((pair) => pair.own),
      own,
    ),
    middleOf(
      measured.map((pair) => pair.bare),
      bare,
    ),
  ];
  const ownLines = linesOf(ownRound, { sender: name, load: 'at once', fleet: own.fleet });
  return {
    lines: [
      ...ownLines.map((line) => ({ ...line, ceilingShare })),
      ...linesOf(bareRound, { sender: bareName, load: 'at once', fleet: bare.fleet }),
    ],
    rounds: measured.map((pair) => pair.own),
    perSecond: rateOf(ownRound, own),
    ceilingShare,
  };
}

/** The round with the median rate. */
function middleOf(rounds: readonly Round[], side: BurstSide): Round {
  const sorted = rounds.toSorted((one, other) => rateOf(one, side) - rateOf(other, side));
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (!middle) throw new RangeError('the median needs at least one round');
  return middle;
}

interface SizedSide extends BurstSide {
  /** Events of each burst. */
  readonly count: number;
}

/** Warms up a side, and finds out how many events a burst of {@link burstSeconds} needs. */
async function prepare(side: BurstSide): Promise<SizedSide> {
  const fanOut = side.fleet.numbersOf(burstTopic).length;
  const events = (deliveries: number) => Math.ceil(deliveries / fanOut);
  const first = { ...side, count: events(warmUpDeliveries) };
  await burst(first);
  const deliveries = Math.min(mostDeliveries, rateOf(await burst(first), side) * burstSeconds);
  return { ...first, count: events(Math.max(warmUpDeliveries, deliveries)) };
}

const burst = ({ sender, fleet, count }: SizedSide): Promise<Round> =>
  runRound({ sender, fleet, count, perSecond: Number.POSITIVE_INFINITY, topicOf: () => burstTopic, waitMs });

const rateOf = (round: Round, { fleet }: BurstSide): number =>
  linesOf(round, { sender: '', load: '', fleet }).reduce((sum, { perSecond }) => sum + perSecond, 0);
