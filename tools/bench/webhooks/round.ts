import { setTimeout as sleep } from 'node:timers/promises';
import { clockMs, eventId } from './event.ts';
import type { Fleet } from './fleet.ts';
import type { Verified } from './receivers/receivers-process.ts';
import type { Sender, Spent } from './sender.ts';
import { type Delivery, Tally } from './tally.ts';

/** An incident while the publisher publishes, such as the recovery of an endpoint. */
interface Incident {
  /** Milliseconds after the first event. */
  readonly afterMs: number;
  readonly run: () => Promise<void>;
}

/** Events to publish and to wait for. */
export interface RoundPlan extends Schedule {
  readonly sender: Sender;
  readonly fleet: Fleet;
  /** The topic of each event, by its position in the round. */
  readonly topicOf: (nth: number) => string;
  readonly incidents?: readonly Incident[];
  /**
   * The longest wait for deliveries after the last event was published. A delivery that has not arrived by then counts
   * as lost.
   */
  readonly waitMs: number;
  /** Called again and again while the round waits. Moves the sender's clock, for example. */
  readonly whileWaiting?: () => Promise<void>;
}

/** A measured round. */
export interface Round {
  readonly deliveries: readonly Delivery[];
  readonly startedAt: number;
  /** The time at which the wait for deliveries ended. */
  readonly endedAt: number;
  /** The longest delay that the publisher itself caused. */
  readonly lateMs: number;
  /** The number of events that the sender did not accept. */
  readonly refused: number;
  readonly signatures: Verified;
  /** CPU seconds of the round, growth of the memory since its start, and the largest memory so far. */
  readonly spent: { readonly cpuSeconds: number; readonly grownMb: number; readonly peakMb: number } | undefined;
}

const pollMs = 100;
/** After the last expected delivery, the bench waits this long for duplicates that are still on their way. */
const graceMs = 300;
let numbered = 0;

/** Publishes the events of a round, and waits for the deliveries to every endpoint that answers. */
export async function runRound(plan: RoundPlan): Promise<Round> {
  const { sender, fleet } = plan;
  const firstNumber = numbered;
  numbered += plan.count;
  const before = await sender.stats?.();
  const collector = new Collector(fleet);
  try {
    const loop = await publish(plan, firstNumber);
    const refused = new Set(loop.failures.flatMap(({ from, to }) => range(from, to)));
    for (const nth of range(0, plan.count).filter((each) => !refused.has(each))) {
      const due = loop.startedAt + dueAt(plan, nth);
      for (const number of fleet.numbersOf(plan.topicOf(nth))) collector.tally.expect(firstNumber + nth, number, due);
    }
    await collector.wait(plan);
    return {
      signatures: await collector.stop(),
      deliveries: collector.tally.deliveries,
      startedAt: loop.startedAt,
      endedAt: clockMs(),
      lateMs: loop.lateMs,
      refused: refused.size,
      spent: before && spentSince(before, await sender.stats?.()),
    };
  } finally {
    await collector.stop();
  }
}

/** Publishes the events while the incidents happen. */
async function publish({ sender, topicOf, incidents = [], ...schedule }: RoundPlan, firstNumber: number) {
  const happening = incidents.map(({ afterMs, run }) => sleep(afterMs).then(run));
  const [loop] = await Promise.all([
    publishOpenLoop(schedule, {
      publish: (from, to) =>
        sender.publish(
          range(from, to).map((nth) => ({ id: eventId(firstNumber + nth, Date.now()), topic: topicOf(nth) })),
        ),
    }),
    ...happening,
  ]);
  return loop;
}

/** Publishes for some seconds at the rate of a round, and waits for the deliveries. */
export async function warmUp(plan: Omit<RoundPlan, 'count'>, seconds: number): Promise<void> {
  await runRound({ ...plan, count: Math.ceil(plan.perSecond * seconds) });
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, step) => from + step);

function spentSince(before: Spent, after: Spent = before) {
  const { cpuSeconds, memoryMb, peakMb } = after;
  return { cpuSeconds: cpuSeconds - before.cpuSeconds, grownMb: memoryMb - before.memoryMb, peakMb };
}

/** Takes the records of the receivers several times a second. */
class Collector {
  readonly tally = new Tally();
  readonly #fleet: Fleet;
  readonly #abort = new AbortController();
  readonly #polling: Promise<void>;
  #signatures: Verified = { verified: 0, wrong: 0 };

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
    this.#polling = this.#poll();
  }

  async #poll(): Promise<void> {
    while (!this.#abort.signal.aborted) {
      await this.#take();
      await sleep(pollMs);
    }
  }

  async #take(): Promise<void> {
    const { records, signatures } = await this.#fleet.take();
    this.tally.add(records);
    this.#signatures = signatures;
  }

  /** Waits until every endpoint that answers has all its events, but at most `waitMs`. */
  async wait({ waitMs, whileWaiting }: Pick<RoundPlan, 'waitMs' | 'whileWaiting'>): Promise<void> {
    const deadline = clockMs() + waitMs;
    while (clockMs() < deadline && this.#isMissing()) {
      await whileWaiting?.();
      await sleep(pollMs);
    }
    await sleep(graceMs);
  }

  #isMissing(): boolean {
    return this.tally.deliveries.some(({ endpoint, answers }) => answers === 0 && this.#fleet.isDelivering(endpoint));
  }

  async stop(): Promise<Verified> {
    this.#abort.abort();
    await this.#polling;
    await this.#take();
    return this.#signatures;
  }
}

/** Events that are due one after the other at a constant rate. With the rate `Infinity`, all are due at the start. */
export interface Schedule {
  readonly count: number;
  readonly perSecond: number;
}

/** The time at which an event is due, in milliseconds after the start. The first event is due at 0. */
export const dueAt = ({ perSecond }: Schedule, nth: number): number => (nth * 1_000) / perSecond;

/** The number of events that are due at a time after the start. */
export function dueCount(schedule: Schedule, elapsedMs: number): number {
  if (elapsedMs < 0) return 0;
  if (schedule.perSecond === Number.POSITIVE_INFINITY) return schedule.count;
  return Math.min(schedule.count, Math.floor((elapsedMs * schedule.perSecond) / 1_000) + 1);
}

interface OpenLoopOptions {
  /**
   * Publishes the events from number `from` up to, but not including, `to`. The loop does not wait until the call ends.
   */
  readonly publish: (from: number, to: number) => Promise<void>;
  readonly now?: () => number;
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** The times of an open loop. */
export interface OpenLoop {
  /** The time at which the first event was due. */
  readonly startedAt: number;
  /** The publisher's own delay: the longest time between the moment an event was due and its handover to the sender. */
  readonly lateMs: number;
  /** Each failed call of `publish`, with the numbers of its events. */
  readonly failures: readonly { readonly from: number; readonly to: number; readonly error: unknown }[];
}

/**
 * Publishes events when they are due, by the clock alone. A slow sender does not slow the publisher: events wait in the
 * sender, and their waiting counts. Resolves when every call of `publish` has ended.
 */
export async function publishOpenLoop(schedule: Schedule, options: OpenLoopOptions): Promise<OpenLoop> {
  const { publish, now = clockMs, pause = sleep } = options;
  const startedAt = now();
  const underWay: Promise<void>[] = [];
  const failures: OpenLoop['failures'][number][] = [];
  let [published, lateMs] = [0, 0];
  while (published < schedule.count) {
    const elapsedMs = now() - startedAt;
    const [from, to] = [published, dueCount(schedule, elapsedMs)];
    if (to > from) {
      lateMs = Math.max(lateMs, elapsedMs - dueAt(schedule, from));
      underWay.push(publish(from, to).catch((error) => void failures.push({ from, to, error })));
      published = to;
    } else {
      await pause(dueAt(schedule, published) - elapsedMs);
    }
  }
  await Promise.all(underWay);
  return { startedAt, lateMs, failures };
}
