import type { Receivers } from './fleet.ts';
import type { Line } from './lines.ts';
import type { BenchOptions } from './options.ts';
import type { Sender } from './sender.ts';

/** What a scenario works with. The sender and the receivers have no endpoints yet. */
export interface ScenarioContext extends Pick<BenchOptions, 'rate' | 'seconds' | 'backlog'> {
  readonly name: string;
  readonly sender: Sender;
  readonly receivers: Receivers;
  /** Bare Node, started beside the sender. */
  readonly ceiling: Sender;
}

/** Figures that promises are about. Absent figures were not measured. */
export interface Measures {
  /** Deliveries per second of events that are published at once. */
  readonly perSecond?: number;
  /** `perSecond` as a share of bare Node's. */
  readonly ceilingShare?: number;
  /** The p99 of healthy endpoints beside one that hangs and one that is dead, as a multiple of all healthy. */
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
  /** The function that a sender must have. */
  readonly needs?: 'kill' | 'advanceClock';
  readonly run: (context: ScenarioContext) => Promise<ScenarioResult>;
}
