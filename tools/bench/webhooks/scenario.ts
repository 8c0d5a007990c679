import { parseArgs } from 'node:util';
import type { Row } from '../report.ts';
import type { Fleet, Receivers } from './fleet.ts';
import type { Behaviour } from './receivers/behaviours.ts';
import type { Round } from './round.ts';
import type { Sender } from './sender.ts';
import { type Delivery, type Figures, figuresOf } from './tally.ts';

/** The options of `npm run bench webhooks -- …`. */
export interface BenchOptions {
  /** Names or files of the senders to measure. */
  readonly senders: readonly string[];
  /** Names of the scenarios; all when it is empty. */
  readonly scenarios: readonly string[];
  /** The deliveries per second that the open-loop publisher causes. */
  readonly rate: number;
  /** The length of each open-loop round. */
  readonly seconds: number;
  /** The number of events that wait while their endpoint is dead for an hour. */
  readonly backlog: number;
  readonly concurrency: number | undefined;
  readonly lengths: Lengths;
}

/** How long the parts of a scenario are, apart from the measured rounds. */
export interface Lengths {
  /** A warm-up compiles the sender's code and opens its connections before a round is measured. */
  readonly warmUpSeconds: number;
  /**
   * The number of pairs of rounds: one round of the sender, one of bare Node. Other load slows both rounds of a pair, so
   * it changes the comparison little.
   */
  readonly pairs: number;
  /** A burst takes about this long at the speed of the warm-up. */
  readonly burstSeconds: number;
  /** How long the backlog of a dead endpoint is published. */
  readonly backlogSeconds: number;
  /** How long the endpoint is dead by the sender's clock. */
  readonly deadMinutes: number;
  /** The clock moves in steps of this length. With long steps, timers that other timers start run late. */
  readonly stepSeconds: number;
}

const full = {
  ...{ rate: 200, seconds: 10, backlog: 10_000 },
  lengths: { warmUpSeconds: 2, pairs: 3, burstSeconds: 1.5, backlogSeconds: 20, deadMinutes: 60, stepSeconds: 10 },
};
const quick: typeof full = {
  ...{ rate: 100, seconds: 0.5, backlog: 100 },
  lengths: { warmUpSeconds: 0.5, pairs: 1, burstSeconds: 0.2, backlogSeconds: 1, deadMinutes: 3, stepSeconds: 60 },
};

/**
 * Reads the command line.
 *
 * @throws TypeError when an option is unknown; RangeError when a number is not above 0
 */
export function readOptions(args: readonly string[], isQuick = false): BenchOptions {
  const { lengths, ...defaults } = isQuick ? quick : full;
  const { values } = parseArgs({
    args: [...args],
    options: {
      sender: { type: 'string', multiple: true },
      scenario: { type: 'string', multiple: true },
      rate: { type: 'string' },
      seconds: { type: 'string' },
      backlog: { type: 'string' },
      concurrency: { type: 'string' },
    },
  });
  return {
    senders: values.sender ?? ['engine'],
    scenarios: values.scenario ?? [],
    rate: positive('--rate', values.rate) ?? defaults.rate,
    seconds: positive('--seconds', values.seconds) ?? defaults.seconds,
    backlog: positive('--backlog', values.backlog) ?? defaults.backlog,
    concurrency: positive('--concurrency', values.concurrency),
    lengths,
  };
}

function positive(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!(number > 0)) throw new RangeError(`${name} must be a number above 0, not ${text}`);
  return number;
}

/** The objects that a scenario uses. The sender and the receivers have no endpoints yet. */
export interface ScenarioContext extends Pick<BenchOptions, 'rate' | 'seconds' | 'backlog' | 'lengths'> {
  readonly name: string;
  readonly sender: Sender;
  readonly receivers: Receivers;
  /** Bare Node, which is started in addition to the sender. */
  readonly ceiling: Sender;
}

/** The figures for which there are promises. An absent figure was not measured. */
export interface Measures {
  /** Deliveries per second when the events are published all at the same time. */
  readonly perSecond?: number;
  /** `perSecond` as a share of bare Node's. */
  readonly ceilingShare?: number;
  /**
   * The p99 of the healthy endpoints while one other endpoint hangs and one is dead, as a multiple of their p99 when
   * all endpoints are healthy.
   */
  readonly healthyRatio?: number;
  readonly requestsToDead?: number;
  readonly lost?: number;
  readonly wrongSignatures?: number;
}

export interface ScenarioResult {
  readonly lines: readonly Line[];
  /** Sentences to print under the table. */
  readonly notes: readonly string[];
  readonly measures: Measures;
}

/** One situation to measure each sender in. */
export interface Scenario {
  readonly name: string;
  readonly about: string;
  /** The function that a sender must have for this scenario. */
  readonly needs?: 'advanceClock';
  readonly run: (context: ScenarioContext) => Promise<ScenarioResult>;
}

/** The deliveries of one round to the endpoints of one class. */
export interface Line extends Figures {
  readonly sender: string;
  /** The load of the round, such as `200/s`. */
  readonly load: string;
  readonly class: Behaviour;
  /** Requests that were not answered with 2xx. */
  readonly wasted: number;
  /** Deliveries that never arrived; undefined for a class that accepts nothing. */
  readonly lost: number | undefined;
  /** The cost of the whole round. Only the first line of a round has it. */
  readonly spent?: {
    readonly cpuPerThousand: number;
    readonly peakMb: number;
    readonly mbPerThousand: number | undefined;
  };
  /** The deliveries per second as a share of bare Node's. */
  readonly ceilingShare?: number;
}

interface LineOptions {
  readonly sender: string;
  readonly load: string;
  readonly fleet: Fleet;
  /** Selects the deliveries to count; all by default. */
  readonly only?: (delivery: Delivery) => boolean;
}

/** Makes the lines of a round: one for each class of endpoints. */
export function linesOf(round: Round, { sender, load, fleet, only = () => true }: LineOptions): Line[] {
  const counted = round.deliveries.filter(only);
  const classes = Map.groupBy(counted, ({ endpoint }) => fleet.behaviourOf(endpoint));
  return [...classes].map(([name, deliveries], position) => {
    const figures = figuresOf(deliveries, round.endedAt);
    const isDelivering = deliveries.some(({ endpoint }) => fleet.isDelivering(endpoint));
    return {
      sender,
      load,
      class: name,
      ...figures,
      wasted: figures.requests - figures.delivered - figures.duplicates,
      lost: isDelivering ? figures.expected - figures.delivered : undefined,
      ...(position === 0 && spentPerThousand(round)),
    };
  });
}

function spentPerThousand({ spent, deliveries }: Round): Pick<Line, 'spent'> {
  const thousands = deliveries.filter(({ answers }) => answers > 0).length / 1_000;
  if (!spent || thousands === 0) return {};
  return {
    spent: {
      cpuPerThousand: spent.cpuSeconds / thousands,
      peakMb: spent.peakMb,
      // Undefined for a short round: the heap grows in steps, so few deliveries show nothing about its growth.
      mbPerThousand: thousands < 1 ? undefined : Math.max(0, spent.grownMb) / thousands,
    },
  };
}

/** The figures that every scenario promises: no delivery is lost, and every signature is right. */
export const measuresOf = (lines: readonly Line[], rounds: readonly Round[]) => ({
  lost: lostOf(lines),
  wrongSignatures: rounds.reduce((most, { signatures }) => Math.max(most, signatures.wrong), 0),
});

/** The lost deliveries of some lines. */
export const lostOf = (lines: readonly Line[]): number => lines.reduce((sum, { lost = 0 }) => sum + lost, 0);

/** A line as a row of the printed table. */
export function rowOf(line: Line): Row {
  const { spent, ceilingShare, lost } = line;
  return {
    sender: line.sender,
    load: line.load,
    class: line.class,
    events: line.expected,
    arrived: line.delivered,
    'p50 ms': rounded(line.first.p50),
    'p99 ms': rounded(line.first.p99),
    '/s': Math.round(line.perSecond),
    'of bare': right(ceilingShare === undefined ? '' : `${Math.round(ceilingShare * 100)} %`, 7),
    requests: line.requests,
    wasted: line.wasted,
    duplicates: line.duplicates,
    lost: right(lost === undefined ? '' : String(lost), 5),
    'CPU s/1k': right(spent?.cpuPerThousand.toFixed(2) ?? '', 8),
    'peak MB': right(spent?.peakMb.toFixed(0) ?? '', 7),
    'MB/1k': right(spent?.mbPerThousand?.toFixed(1) ?? '', 5),
  };
}

const rounded = (ms: number): number => Math.round(ms * 10) / 10;
const right = (text: string, width: number): string => text.padStart(width);

/** Sentences about a round, with facts that its lines do not show. */
export function notesOf({ signatures, lateMs, refused }: Round): string[] {
  const notes: string[] = [];
  if (signatures.wrong > 0) notes.push(`${signatures.wrong} of ${signatures.verified} verified signatures were wrong`);
  if (refused > 0) notes.push(`${refused} events were not accepted`);
  if (lateMs > lateLimitMs) notes.push(`the publisher itself was up to ${Math.round(lateMs)} ms late`);
  return notes;
}

/** A publisher that is later than this distorts the latencies. */
const lateLimitMs = 20;
