import {
  ProvisionedThroughputExceededException,
  ThrottlingException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import type { Random } from './random.ts';
import type { Call, Invocation, Outcome } from './simulation.ts';

/** The ways in which a call fails, or its invocation ends. */
const faultKinds = [
  /** Another transaction locks one of the items. Nothing is written. */
  'conflict',
  /** The service refuses the call. Nothing is done. */
  'throttled',
  /** The service carries out only a part of a batch. */
  'part',
  /** The call is carried out, and its reply is lost. */
  'lost reply',
  /** The reply is lost, and the client library sends the call again. */
  'sent again',
  /** The worker dies before the call reaches the service. */
  'death before',
  /** The worker dies after the call. */
  'death after',
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** The share of calls with each fault. */
const shares: Readonly<Record<Call['kind'], Partial<Record<FaultKind, number>>>> = {
  read: { throttled: 0.006, part: 0.05, 'lost reply': 0.003, 'death before': 0.006 },
  write: {
    conflict: 0.05,
    throttled: 0.01,
    'lost reply': 0.02,
    'sent again': 0.03,
    'death before': 0.012,
    'death after': 0.025,
  },
  publish: { throttled: 0.03, part: 0.08, 'lost reply': 0.05, 'death before': 0.02, 'death after': 0.05 },
  program: { 'lost reply': 0.06, 'sent again': 0.04, 'death before': 0.02, 'death after': 0.06 },
  pause: { 'death before': 0.01 },
};

/** A network error in the form in which the client libraries throw it after their last attempt. */
export class LostReplyError extends Error {
  override readonly name = 'TimeoutError';
}

/** Decides which calls fail, and makes their errors. */
export class Faults {
  readonly #random: Random;
  readonly counts = new Map<FaultKind, number>();
  isOn = true;

  constructor(random: Random) {
    this.#random = random;
  }

  readonly decide = async (call: Call, invocation: Invocation): Promise<Outcome> => {
    const fault = this.#choose(call);
    if (!fault) return carryOut(call);
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1);
    invocation.faults += 1;
    return this.#fail(call, fault);
  };

  #choose(call: Call): FaultKind | undefined {
    if (!this.isOn) return undefined;
    const own = Object.entries(shares[call.kind]) as [FaultKind, number][];
    const possible = own.filter(([fault]) => fault !== 'part' || hasParts(call));
    const none = 1 - possible.reduce((sum, [, share]) => sum + share, 0);
    return this.#random.weighted([[none, undefined], ...possible.map(([fault, share]) => [share, fault] as const)]);
  }

  async #fail(call: Call, fault: FaultKind): Promise<Outcome> {
    switch (fault) {
      case 'conflict':
        return { kind: 'error', error: this.#conflict(call) };
      case 'throttled':
        return { kind: 'error', error: this.#throttling(call) };
      case 'part':
        return this.#doPart(call);
      case 'lost reply': {
        await carryOut(call);
        return { kind: 'error', error: new LostReplyError('socket hang up') };
      }
      case 'sent again': {
        await carryOut(call);
        const outcome = await carryOut(call);
        // As the client library does, writes the number of attempts into the error.
        if (outcome.kind === 'error') Object.assign(outcome.error, { $metadata: { attempts: 2 } });
        return outcome;
      }
      case 'death before':
        return { kind: 'death' };
      case 'death after':
        await carryOut(call);
        return { kind: 'death' };
    }
  }

  #conflict(call: Call): Error {
    if (call.name === 'TransactWrite') return this.#cancelled(call, 'TransactionConflict');
    return new TransactionConflictException({ message: 'Transaction is ongoing for the item', $metadata: {} });
  }

  #throttling(call: Call): Error {
    if (call.name === 'TransactWrite') return this.#cancelled(call, 'ThrottlingError');
    const message = 'Throughput exceeds the current capacity of your table or index.';
    if (this.#random.chance(0.5)) return new ThrottlingException({ message, $metadata: {} });
    return new ProvisionedThroughputExceededException({ message, $metadata: {} });
  }

  #cancelled({ input }: Call, code: string): Error {
    const { TransactItems } = input as { readonly TransactItems: readonly unknown[] };
    const failing = this.#random.between(0, TransactItems.length - 1);
    const reasons = TransactItems.map((_, position) => ({ Code: position === failing ? code : 'None' }));
    return new TransactionCanceledException({
      message: 'Transaction cancelled',
      $metadata: {},
      CancellationReasons: reasons,
    });
  }

  /** Carries out a part of a call: the bus or a queue refuses some entries, or a batch read reads none of its items. */
  async #doPart({ name, input, carryOut: send }: Call): Promise<Outcome> {
    if (name === 'BatchGet') {
      const { RequestItems } = input as { readonly RequestItems: object };
      return { kind: 'reply', reply: { Responses: {}, UnprocessedKeys: RequestItems } };
    }
    const { Entries, ...rest } = input as { readonly Entries: readonly { readonly Id?: string }[] };
    const isAccepted = Entries.map(() => this.#random.chance(0.5));
    await send({ ...rest, Entries: Entries.filter((_, position) => isAccepted[position]) });
    const refused = Entries.filter((_, position) => !isAccepted[position]);
    if (name === 'SendMessageBatch') return { kind: 'reply', reply: { Failed: refused } };
    const reported = isAccepted.map((accepted) => (accepted ? { EventId: 'event' } : { ErrorCode: 'InternalFailure' }));
    return { kind: 'reply', reply: { FailedEntryCount: refused.length, Entries: reported } };
  }
}

const hasParts = ({ name }: Call) => ['PutEvents', 'SendMessageBatch', 'BatchGet'].includes(name);

async function carryOut(call: Call): Promise<Outcome> {
  try {
    return { kind: 'reply', reply: await call.carryOut() };
  } catch (error) {
    return { kind: 'error', error: error instanceof Error ? error : new Error(String(error)) };
  }
}
