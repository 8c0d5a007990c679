import * as z from 'zod/mini';
import { lockMs, maximumProofs, minimumPinDigits, pressureProofs, proofWindowMs } from '../../contracts/limits.ts';

/**
 * Counters of wrong proofs. They limit how many PINs an attacker can try. An attempt counts for the person: the account
 * number, and the customer of the session; the address, if the session names no customer. It also counts for what many
 * persons share: the organisation, and the address of its server. Attempts of others refuse no person, but they make
 * the limits of every person strict.
 */

/** Whether a text may be a PIN. Too short PINs can be guessed: an attacker tries a few PINs with many accounts. */
export const isPin = (text: string): boolean => /^\d+$/.test(text) && text.length >= minimumPinDigits;

/** The subject of a counter. The address of a session that names a customer may be that of the merchant's server. */
export type ProofSubject =
  | { readonly kind: 'account'; readonly partnerId: number; readonly memberId: string }
  | { readonly kind: 'customer'; readonly organisationId: number; readonly externalId: string }
  | { readonly kind: 'address' | 'sharedAddress'; readonly address: string }
  | { readonly kind: 'organisation'; readonly organisationId: number };

/** One attempt to prove an account. */
export interface ProofOrigin {
  readonly partnerId: number;
  readonly memberId: string;
  /** The organisation that started the connect session. */
  readonly organisationId: number;
  /** The organisation's customer, if the session names one. */
  readonly customerId: string | undefined;
  /** The address that the request came from. */
  readonly address: string;
}

/** The subjects for which an attempt counts. */
export function subjectsOf({ organisationId, customerId, ...origin }: ProofOrigin): ProofSubject[] {
  const { partnerId, memberId } = origin;
  const address = networkOf(origin.address);
  return [
    { kind: 'account', partnerId, memberId },
    ...(customerId === undefined
      ? [{ kind: 'address', address } as const]
      : [
          { kind: 'customer', organisationId, externalId: customerId } as const,
          { kind: 'sharedAddress', address } as const,
        ]),
    { kind: 'organisation', organisationId },
  ];
}

/** Whether the wrong proofs of a subject show that somebody guesses at many accounts. */
export function isPressed({ kind }: ProofSubject, counter: ProofCounter | undefined, now: Date): boolean {
  if (kind !== 'organisation' && kind !== 'sharedAddress') return false;
  return counter !== undefined && now.getTime() < Date.parse(counter.until) && counter.attempts >= pressureProofs[kind];
}

/**
 * The attempts after which a subject is locked. An organisation is never locked: its customers would pay for the
 * guesses of a stranger.
 */
export function maximumOf({ kind }: ProofSubject, isUnderPressure: boolean): number {
  if (kind === 'organisation') return Number.MAX_SAFE_INTEGER;
  const maximum = maximumProofs[kind];
  return isUnderPressure && kind !== 'sharedAddress' ? Math.min(maximum, maximumProofs.underPressure) : maximum;
}

/** The attempts of one subject. An account number has a counter even if no account has this number. */
export const ProofCounter = z.object({
  /** Attempts in the present window. Attempts with a right proof are not counted. */
  attempts: z.int(),
  isLocked: z.boolean(),
  /**
   * The end of the window; if the subject is locked, the end of the lock. A new window and a lock set a new time. An
   * attempt that is added or subtracted does not change the time.
   */
  until: z.string(),
  /** The number of locks in a row. Each lock is twice as long as the lock before it, up to `lockMs.longestProof`. */
  locks: z.int(),
});
export type ProofCounter = z.infer<typeof ProofCounter>;

/**
 * The effect of an attempt on its counter:
 * - `count`: the attempt is added to the window;
 * - `open`: the attempt opens a new window;
 * - `lock`: the window has no attempt left, so the subject is locked;
 * - `refuse`: the subject is locked, and the counter stays as it is.
 */
export interface ProofClaim {
  readonly kind: 'count' | 'open' | 'lock' | 'refuse';
  /** The new counter for `open` and `lock`; the counter as it was read for `count` and `refuse`. */
  readonly counter: ProofCounter;
}

/**
 * Decides about one more attempt of a subject.
 *
 * @param maximum the attempts after which the subject is locked
 */
export function claimProof(
  subject: ProofSubject,
  counter: ProofCounter | undefined,
  { now, maximum }: { readonly now: Date; readonly maximum: number },
): ProofClaim {
  const isOver = counter === undefined || now.getTime() >= Date.parse(counter.until);
  if (isOver) return { kind: 'open', counter: openedCounter(subject, counter, now) };
  if (counter.isLocked) return { kind: 'refuse', counter };
  if (counter.attempts < maximum) return { kind: 'count', counter };

  const duration = Math.min(lockMs.proof * 2 ** counter.locks, lockMs.longestProof);
  return {
    kind: 'lock',
    counter: { ...counter, isLocked: true, until: after(now, duration), locks: counter.locks + 1 },
  };
}

/**
 * The number of locks in a row starts again at zero after a window without a lock, or a day after the end of the last
 * lock.
 */
function openedCounter({ kind }: ProofSubject, counter: ProofCounter | undefined, now: Date): ProofCounter {
  const isFollowing = counter?.isLocked && now.getTime() < Date.parse(counter.until) + lockMs.longestProof;
  const locks = isFollowing ? counter.locks : 0;
  return { attempts: 1, isLocked: false, until: after(now, proofWindowMs[kind]), locks };
}

const after = (now: Date, durationMs: number) => new Date(now.getTime() + durationMs).toISOString();

/**
 * The network that an address belongs to. All addresses of one network count together, because a provider gives each
 * customer one IPv4 address, or 2⁶⁴ IPv6 addresses of one network.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.toLowerCase().split('::');
  const [front, back] = [head, tail ?? ''].map((part) => part.split(':').filter(Boolean)) as [string[], string[]];
  const zeros = tail === undefined ? 0 : 8 - front.length - back.length;
  const groups = [...front, ...Array.from({ length: Math.max(zeros, 0) }, () => '0'), ...back];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
