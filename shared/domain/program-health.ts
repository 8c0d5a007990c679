import * as z from 'zod/mini';
import { programMs, toleratedProgramFailures } from '../contracts/limits.ts';

/**
 * Whether a program answers. After some failures in a row only single requests are sent, until one is answered: a
 * program that is down costs nothing, and is not flooded when it comes back.
 */
export const ProgramHealth = z.object({
  partnerId: z.int(),
  /** Failures since the last answer. */
  failures: z.int(),
  /** No request is sent before. Absent while the program answers. */
  pausedUntil: z.optional(z.string()),
});
export type ProgramHealth = z.infer<typeof ProgramHealth>;

/** What a request may do: go, go as the only one, or wait. */
export type Admission =
  | { readonly kind: 'go' }
  /** One request tries whether the program answers again. It has to be claimed first. */
  | { readonly kind: 'try'; readonly pausedUntil: string }
  | { readonly kind: 'wait'; readonly until: Date };

/** Decides whether a request may be sent. */
export function admit(health: ProgramHealth | undefined, now: Date): Admission {
  if (health?.pausedUntil === undefined) return { kind: 'go' };
  const until = new Date(health.pausedUntil);
  return until > now ? { kind: 'wait', until } : { kind: 'try', pausedUntil: health.pausedUntil };
}

/** Returns the end of the pause while one request tries, in case that request dies. */
export const trialEndsAt = (now: Date): string => new Date(now.getTime() + programMs.attemptLease).toISOString();

/** Returns the end of the pause after so many failures in a row; undefined while requests go on. */
export function pauseAfter(failures: number, now: Date): string | undefined {
  if (failures < toleratedProgramFailures) return undefined;
  const pauseMs = programMs.firstPause * 2 ** (failures - toleratedProgramFailures);
  return new Date(now.getTime() + Math.min(pauseMs, programMs.longestPause)).toISOString();
}
