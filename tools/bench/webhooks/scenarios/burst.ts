import { median } from '../../report.ts';
import type { Fleet } from '../fleet.ts';
import { type Line, linesOf } from '../lines.ts';
import { type Round, runRound } from '../round.ts';
import type { Sender } from '../sender.ts';

/** Rounds of both sides, one after the other. Other load slows both sides of a pair. */
const pairs = 3;
const warmUpDeliveries = 400;
/** A burst takes about this long at the speed of the warm-up. */
const burstSeconds = 1.5;
const mostDeliveries = 10_000;
const waitMs = 60_000;

/** The topic of all events of bursts. */
export const burstTopic = 'burst';
/** Bare Node in the tables. */
export const bareName = 'bare Node';

/** A sender with endpoints of {@link burstTopic}. */
export interface BurstSide {
  readonly sender: Sender;
  readonly fleet: Fleet;
}

/** The throughput of a sender beside bare Node. */
export interface BurstResult {
  readonly lines: readonly Line[];
  readonly rounds: readonly Round[];
  readonly perSecond: number;
  readonly ceilingShare: number;
}

/** Publishes many events at once to a sender and to bare Node in turn, to the same kind of endpoints. */
export async function runBursts(name: string, own: BurstSide, bare: BurstSide): Promise<BurstResult> {
  const sides = { own: await warmUp(own), bare: await warmUp(bare) };
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

/** Makes a side compile its code, and finds out how many events a burst needs. */
async function warmUp(side: BurstSide): Promise<SizedSide> {
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
