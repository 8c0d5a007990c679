import * as z from 'zod/mini';
import { programAttemptDelaysMs, programMs } from '../../contracts/limits.ts';

/**
 * The attempts to post a pending transaction to a partner's own program. Hosted programs confirm immediately, so their
 * transactions have no posting.
 */
export const Posting = z.object({
  /** Attempts so far, each with at least one request to the program. */
  attempts: z.int(),
  /** When the present series of attempts began. An operator's retry begins a new series. */
  startedAt: z.string(),
  /** When the next attempt is due. While an attempt runs: the time from which the running attempt counts as dead. */
  dueAt: z.string(),
  /** When the program accepted the transaction: the program stored it and answers later. */
  acceptedAt: z.optional(z.string()),
  /** Why the last attempt has no answer. */
  problem: z.optional(z.string()),
  /** The id of the request that led to the transaction. Later attempts use it as their request id. */
  requestId: z.optional(z.string()),
});
export type Posting = z.infer<typeof Posting>;

/** The time of a decision, and a random number that spreads delays: at least 0, below 1. */
interface Spread {
  readonly now: Date;
  readonly random: number;
}

const instant = (ms: number) => new Date(ms).toISOString();

/** Whether an attempt is due. Clocks differ, so an attempt may be a little early. */
export function isDue(posting: Posting | undefined, now: Date): boolean {
  return posting === undefined || Date.parse(posting.dueAt) <= now.getTime() + programMs.clockSkew;
}

/**
 * Whether an earlier attempt may have reached the program. Then the platform asks the program before it posts the
 * transaction again.
 */
export const mayHaveArrived = (posting: Posting | undefined): boolean => posting !== undefined && posting.attempts > 0;

/** Begins an attempt. Until it ends or counts as dead, no other attempt begins. */
export function beginAttempt(posting: Posting | undefined, now: Date): Posting {
  return {
    ...posting,
    attempts: (posting?.attempts ?? 0) + 1,
    startedAt: posting?.startedAt ?? now.toISOString(),
    dueAt: instant(now.getTime() + programMs.attemptLease),
  };
}

/** What the decision about the next attempt needs to know about a failed attempt. */
interface Failure extends Spread {
  readonly cause: string;
  /** The program's `Retry-After`: the next attempt is not earlier. */
  readonly retryAfterSeconds?: number | undefined;
}

/**
 * Decides when to try again after an attempt without an answer. The last attempt is at the end of
 * `programMs.postingTime`, or of `programMs.answerTime` if the program accepted the transaction.
 *
 * @returns undefined when that time is over
 */
export function afterFailure(
  posting: Posting,
  { now, random, cause, retryAfterSeconds = 0 }: Failure,
): Posting | undefined {
  const delayMs = Math.max(delayAfter(posting, random), retryAfterSeconds * 1000 * (1 + jitter * random));
  return postpone({ ...posting, problem: cause }, delayMs, now);
}

/**
 * Decides when to ask a program again about a transaction that it has accepted.
 *
 * @returns undefined when the program's time to answer is over
 */
export function afterAcceptance(posting: Posting, { now, random }: Spread): Posting | undefined {
  const { problem: _, acceptedAt = now.toISOString(), ...rest } = posting;
  const delayMs = Math.max(programMs.firstQuery, delayAfter(posting, random));
  return postpone({ ...rest, acceptedAt }, delayMs, now);
}

/**
 * Postpones an attempt because the program does not answer other requests. A postponed attempt is not counted.
 *
 * @param notBefore when the platform tries the program again
 * @returns undefined when the time for attempts is over, as in {@link afterFailure}
 */
export function afterDeferral(
  posting: Posting | undefined,
  notBefore: Date,
  { now, random }: Spread,
): Posting | undefined {
  const { attempts, startedAt, ...rest } = posting ?? { attempts: 0, startedAt: now.toISOString() };
  const delayMs = notBefore.getTime() - now.getTime() + random * programMs.deferralSpread;
  return postpone({ ...rest, attempts, startedAt, dueAt: '', problem: 'the program does not answer' }, delayMs, now);
}

/** Begins a new series of attempts, for an operator or because the program reports an answer. */
export function restart(posting: Posting, now: Date): Posting {
  const { acceptedAt: _, ...rest } = posting;
  return { ...rest, startedAt: now.toISOString(), dueAt: now.toISOString() };
}

function postpone(posting: Posting, delayMs: number, now: Date): Posting | undefined {
  const endMs =
    posting.acceptedAt === undefined
      ? Date.parse(posting.startedAt) + programMs.postingTime
      : Date.parse(posting.acceptedAt) + programMs.answerTime;
  if (now.getTime() >= endMs) return undefined;
  return { ...posting, dueAt: instant(Math.min(now.getTime() + delayMs, endMs)) };
}

/** The largest random deviation from a delay, as a share of the delay. It prevents a burst at the end of an outage. */
const jitter = 0.2;

function delayAfter({ attempts }: Posting, random: number): number {
  const delayMs = programAttemptDelaysMs[Math.min(attempts, programAttemptDelaysMs.length) - 1] ?? 0;
  return delayMs * (1 - jitter + 2 * jitter * random);
}
