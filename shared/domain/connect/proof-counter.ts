import * as z from 'zod/mini';
import { lockMs, maximumProofs, minimumPinDigits, proofWindowMs } from '../../contracts/limits.ts';

/** Counters of wrong proofs. Each limits the guesses of somebody who tries PINs, from another side. */

/** Whether a text may be a PIN. Shorter ones can be guessed by trying a few with many accounts. */
export const isPin = (text: string): boolean => /^\d+$/.test(text) && text.length >= minimumPinDigits;

/** What a counter counts for: an account number of a program, the sessions of one organisation, or one address. */
export type ProofSubject =
  | { readonly kind: 'account'; readonly partnerId: number; readonly memberId: string }
  | { readonly kind: 'organisation'; readonly organisationId: number }
  | { readonly kind: 'address'; readonly address: string };

/** The attempts of one subject. An account number has a counter whether or not an account has the number. */
export const ProofCounter = z.object({
  /** Attempts in the present window, less those with a right proof. */
  attempts: z.int(),
  isLocked: z.boolean(),
  /** The end of the window or, when locked, of the lock. Every change but a count sets another instant. */
  until: z.string(),
  /** Locks in a row. Each is twice as long as the one before. */
  locks: z.int(),
});
export type ProofCounter = z.infer<typeof ProofCounter>;

/**
 * What an attempt does to the counter: it is one more in the window, opens a new one, locks the subject because the
 * window has none left, or changes nothing because the subject is locked.
 */
export interface ProofClaim {
  readonly kind: 'count' | 'open' | 'lock' | 'refuse';
  /** As it is written for `open` and `lock`; as it was read otherwise. */
  readonly counter: ProofCounter;
}

/** Decides about one more attempt of a subject. */
export function claimProof(subject: ProofSubject, counter: ProofCounter | undefined, now: Date): ProofClaim {
  const isOver = counter === undefined || now.getTime() >= Date.parse(counter.until);
  if (isOver) return { kind: 'open', counter: openedCounter(subject, counter, now) };
  if (counter.isLocked) return { kind: 'refuse', counter };
  if (counter.attempts < maximumProofs[subject.kind]) return { kind: 'count', counter };

  const duration = Math.min(lockMs.proof * 2 ** counter.locks, lockMs.longestProof);
  return {
    kind: 'lock',
    counter: { ...counter, isLocked: true, until: after(now, duration), locks: counter.locks + 1 },
  };
}

/** Locks are forgotten after a window without one, or a day after the last one. */
function openedCounter({ kind }: ProofSubject, counter: ProofCounter | undefined, now: Date): ProofCounter {
  const isFollowing = counter?.isLocked && now.getTime() < Date.parse(counter.until) + lockMs.longestProof;
  const locks = isFollowing ? counter.locks : 0;
  return { attempts: 1, isLocked: false, until: after(now, proofWindowMs[kind]), locks };
}

const after = (now: Date, durationMs: number) => new Date(now.getTime() + durationMs).toISOString();

/**
 * The network that an address counts for. A provider gives each customer one IPv4 address, or 2⁶⁴ IPv6 addresses of
 * one network.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.toLowerCase().split('::');
  const [front, back] = [head, tail ?? ''].map((part) => part.split(':').filter(Boolean)) as [string[], string[]];
  const zeros = tail === undefined ? 0 : 8 - front.length - back.length;
  const groups = [...front, ...Array.from({ length: Math.max(zeros, 0) }, () => '0'), ...back];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
