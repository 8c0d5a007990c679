import { randomInt } from 'node:crypto';

/** Kinds of faults. The first three occur on AWS, but never in DynamoDB Local. */
export type FaultKind =
  | 'TransactionConflict'
  | 'ProvisionedThroughputExceeded'
  | 'Throttling'
  /** The calling worker ends. DynamoDB does not receive the call. */
  | 'killBefore'
  /** DynamoDB carries out the call. Then the calling worker ends without receiving the reply. */
  | 'killAfter';

/** Which calls fail. An absent field matches every call. */
export interface FaultRule {
  readonly fault: FaultKind;
  /** Short name of the calling function. */
  readonly function?: string;
  readonly operation?: string;
  /** Only the nth matching call fails, counted from 1 since the rule was added. */
  readonly nth?: number;
  /** The matching call with this number and all later ones fail. They are counted as for `nth`. */
  readonly from?: number;
  /** Each matching call fails with this probability, 0 to 1. */
  readonly probability?: number;
}

/** The facts of a call that a rule can match. */
export interface CallFacts {
  readonly function: string;
  readonly operation: string;
}

/** A rule that was added, and how many calls it made fail. */
export interface ActiveFault {
  /** Number of calls that failed by this rule. */
  readonly hits: number;
  remove(): void;
}

/** Returns a repeatable random generator: the same seed gives the same faults. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface CountedRule {
  readonly rule: FaultRule;
  seen: number;
  hits: number;
}

function matchesCall({ rule }: CountedRule, call: CallFacts): boolean {
  const wanted = [
    [rule.function, call.function],
    [rule.operation, call.operation],
  ];
  // A read outside a transaction never conflicts with a transaction.
  const canConflict = /^(Transact|Put|Update|Delete)/.test(call.operation);
  if (rule.fault === 'TransactionConflict' && !canConflict) return false;
  return wanted.every(([expected, actual]) => expected === undefined || expected === actual);
}

/** The rules of fault injection. Without a rule, no call fails. */
export class Faults {
  readonly seed: number;
  readonly #random: () => number;
  readonly #rules = new Set<CountedRule>();
  #mustPrintSeed: boolean;

  /** @param seed decides which calls fail by `probability`; if absent, it is random, and printed before first use */
  constructor(seed?: number) {
    this.seed = seed ?? randomInt(2 ** 31);
    this.#mustPrintSeed = seed === undefined;
    this.#random = createRandom(this.seed);
  }

  add(rule: FaultRule): ActiveFault {
    if (rule.probability !== undefined && this.#mustPrintSeed) {
      process.stderr.write(`random faults use seed ${this.seed}\n`);
      this.#mustPrintSeed = false;
    }
    const counted: CountedRule = { rule, seen: 0, hits: 0 };
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

  /** Returns the fault of a call, or undefined when the call does not fail. */
  next(call: CallFacts): FaultKind | undefined {
    for (const counted of this.#rules) {
      if (!matchesCall(counted, call)) continue;
      counted.seen += 1;
      if (!this.#isDue(counted)) continue;
      counted.hits += 1;
      return counted.rule.fault;
    }
    return undefined;
  }

  #isDue({ rule: { nth, from, probability }, seen }: CountedRule): boolean {
    if (nth !== undefined) return seen === nth;
    if (from !== undefined) return seen >= from;
    return probability === undefined || this.#random() < probability;
  }
}
