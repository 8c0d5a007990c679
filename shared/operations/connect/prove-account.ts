import { guessingMessage } from '../../contracts/guessing-alarm.ts';
import { secondMs } from '../../contracts/limits.ts';
import type { ProvenAccount } from '../../domain/connect/decide-link.ts';
import {
  claimProof,
  isPressed,
  maximumOf,
  type ProofCounter,
  type ProofOrigin,
  type ProofSubject,
  subjectsOf,
} from '../../domain/connect/proof-counter.ts';
import { plainError, TooManyAttemptsError } from '../../domain/errors.ts';
import { type ProofAttempt, ProofCounters } from '../../store/connect/proof-counters.ts';
import type { Deps } from '../operation.ts';

// The proof of an account, and the counters that limit guesses.

export const proveAccountStores = { proofCounters: ProofCounters };
type ProofDeps = Deps<typeof proveAccountStores>;

/** The proof is wrong, or the account is unknown or locked. The caller does not learn which. */
export class VerificationFailedError extends plainError(
  'VerificationFailedError',
  'The program does not know this account by this proof',
) {}

/** A subject of an attempt with its counter as it was read. */
interface CountedSubject {
  readonly subject: ProofSubject;
  readonly counter: ProofCounter | undefined;
}

/** Reads the counters of an attempt, in one round trip. An unknown account number has a counter like any other. */
export function readCounters(origin: ProofOrigin, { proofCounters }: ProofDeps): Promise<CountedSubject[]> {
  return Promise.all(
    subjectsOf(origin).map(async (subject) => ({ subject, counter: await proofCounters.find(subject) })),
  );
}

/**
 * Counts an attempt for all of its subjects, in one round trip. Call it before the proof is checked, so parallel
 * guesses count too. While somebody guesses at many accounts of the organisation or from the address, an account,
 * customer or address is locked after fewer attempts.
 *
 * @throws VerificationFailedError while the account number is locked
 * @throws TooManyAttemptsError while the customer or the address is locked
 */
export async function claimAttempts(counted: readonly CountedSubject[], deps: ProofDeps): Promise<ProofAttempt[]> {
  const now = deps.now();
  const pressed = counted.filter(({ subject, counter }) => isPressed(subject, counter, now));
  for (const { subject } of pressed)
    if (subject.kind === 'organisation') deps.log.error(guessingMessage, { ...subject });
  const limitOf = (subject: ProofSubject) => ({ now, maximum: maximumOf(subject, pressed.length > 0) });
  for (const { subject, counter } of counted) {
    // Guesses from a locked customer or address must not lock accounts.
    const { kind, counter: known } = claimProof(subject, counter, limitOf(subject));
    if (kind === 'refuse') refuse({ subject, until: known.until }, now);
  }
  const attempts = await Promise.all(
    counted.map(({ subject, counter }) => deps.proofCounters.claim(subject, counter, limitOf(subject))),
  );
  const refused = attempts.findLast(({ isAllowed }) => !isAllowed);
  if (!refused) return attempts;
  await giveBack(attempts, deps);
  return refuse(refused, now);
}

function refuse({ subject, until }: Pick<ProofAttempt, 'subject' | 'until'>, now: Date): never {
  if (subject.kind === 'account') throw new VerificationFailedError();
  const seconds = Math.ceil((Date.parse(until) - now.getTime()) / secondMs);
  throw new TooManyAttemptsError('Too many wrong proofs; try again later', Math.max(1, seconds));
}

/**
 * Checks the proof of a counted attempt. If no check is possible, for example because the program does not answer, the
 * attempt is subtracted from its counters again.
 *
 * @throws VerificationFailedError when the proof is wrong
 */
export async function checkProof(
  attempts: readonly ProofAttempt[],
  check: () => Promise<ProvenAccount | undefined>,
  deps: ProofDeps,
): Promise<ProvenAccount> {
  const account = await check().catch(async (error: unknown) => {
    await giveBack(attempts, deps);
    throw error;
  });
  if (!account) throw new VerificationFailedError();
  return account;
}

/**
 * Resets the counter of the account number after a right proof. Subtracts only this attempt from the other counters:
 * otherwise an attacker could prove their own account to gain guesses at other accounts.
 */
export async function endCount(attempts: readonly ProofAttempt[], deps: ProofDeps): Promise<void> {
  const isOfAccount = ({ subject }: ProofAttempt) => subject.kind === 'account';
  await Promise.all([
    ...attempts.filter(isOfAccount).map(({ subject }) => deps.proofCounters.reset(subject)),
    giveBack(
      attempts.filter((attempt) => !isOfAccount(attempt)),
      deps,
    ),
  ]);
}

async function giveBack(attempts: readonly ProofAttempt[], { proofCounters }: ProofDeps): Promise<void> {
  await Promise.all(attempts.filter(({ isAllowed }) => isAllowed).map((attempt) => proofCounters.giveBack(attempt)));
}
