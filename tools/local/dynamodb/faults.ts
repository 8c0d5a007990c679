import { randomInt } from 'node:crypto';

/** What goes wrong. DynamoDB Local never does the first three, AWS does. */
export type FaultKind =
  | 'TransactionConflict'
  | 'ProvisionedThroughputExceeded'
  | 'Throttling'
  /** The worker that calls ends; DynamoDB never hears of the call. */
  | 'killBefore'
  /** The worker that calls ends after DynamoDB did what it asked, without hearing so. */
  | 'killAfter';

/** Which calls a fault happens to. What is not given does not matter. */
export interface FaultRule {
  readonly fault: FaultKind;
  /** Short name of the calling function. */
  readonly function?: string;
  readonly operation?: string;
  /** Only the nth call that fits, counted from 1 since the rule was added. */
  readonly nth?: number;
  /** Each call that fits with this probability, 0 to 1. */
  readonly probability?: number;
}

/** What a rule is told of a call. */
export interface CallFacts {
  readonly function: string;
  readonly operation: string;
}

/** A rule in force. */
export interface ActiveFault {
  /** How often it has happened. */
  readonly hits: number;
  remove(): void;
}

/** Small and repeatable: the same seed gives the same faults. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Counted {
  readonly rule: FaultRule;
  seen: number;
  hits: number;
}

function fits({ rule }: Counted, call: CallFacts): boolean {
  const wanted = [
    [rule.function, call.function],
    [rule.operation, call.operation],
  ];
  // A conflict is between transactions or with one: a read outside of one never meets it.
  const meetsConflicts = /^(Transact|Put|Update|Delete)/.test(call.operation);
  if (rule.fault === 'TransactionConflict' && !meetsConflicts) return false;
  return wanted.every(([expected, actual]) => expected === undefined || expected === actual);
}

/** The faults that are in force. Without a rule nothing ever goes wrong. */
export class Faults {
  readonly seed: number;
  readonly #random: () => number;
  readonly #rules = new Set<Counted>();
  #saysSeed: boolean;

  /** @param seed of the probabilities; without one it is drawn, and printed when it first matters */
  constructor(seed?: number) {
    this.seed = seed ?? randomInt(2 ** 31);
    this.#saysSeed = seed === undefined;
    this.#random = randomNumbers(this.seed);
  }

  add(rule: FaultRule): ActiveFault {
    if (rule.probability !== undefined && this.#saysSeed) {
      process.stderr.write(`faults by chance, seed ${this.seed}\n`);
      this.#saysSeed = false;
    }
    const counted: Counted = { rule, seen: 0, hits: 0 };
    this.#rules.add(counted);
    return {
      get hits() {
        return counted.hits;
      },
      remove: () => void this.#rules.delete(counted),
    };
  }

  clear(): void {
    this.#rules.clear();
  }

  /** The fault that happens to a call, if one does. */
  next(call: CallFacts): FaultKind | undefined {
    for (const counted of this.#rules) {
      if (!fits(counted, call)) continue;
      counted.seen += 1;
      if (!this.#happens(counted)) continue;
      counted.hits += 1;
      return counted.rule.fault;
    }
    return undefined;
  }

  #happens({ rule: { nth, probability }, seen }: Counted): boolean {
    if (nth !== undefined) return seen === nth;
    return probability === undefined || this.#random() < probability;
  }
}
