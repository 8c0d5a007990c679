import * as z from 'zod/mini';
import { programMs, toleratedProgramFailures } from '../contracts/limits.ts';

/**
 * Whether a program answers. After some failures in a row the platform sends only single requests until the program
 * answers one. So a program that is down costs little, and is not flooded when it works again.
 */
export const ProgramHealth = z.object({
  partnerId: z.int(),
  /** Failures since the last answer. */
  failures: z.int(),
  /** No request is sent before this time. Absent while the program answers. */
  pausedUntil: z.optional(z.string()),
});
export type ProgramHealth = z.infer<typeof ProgramHealth>;

/** The decision about a request: it is sent, it is sent as the only request, or it waits. */
export type Admission =
  | { readonly kind: 'go' }
  /** One request tries whether the program answers again. The caller has to claim this trial first. */
  | { readonly kind: 'try'; readonly pausedUntil: string }
  | { readonly kind: 'wait'; readonly until: Date };

/** Decides whether a request may be sent. */
export function admit(health: ProgramHealth | undefined, now: Date): Admission {
  if (health?.pausedUntil === undefined) return { kind: 'go' };
  const until = new Date(health.pausedUntil);
  return until > now ? { kind: 'wait', until } : { kind: 'try', pausedUntil: health.pausedUntil };
}

/** Returns the end of the pause during a trial. The next trial can begin after it if this trial has no result. */
export const trialEndsAt = (now: Date): string => new Date(now.getTime() + programMs.attemptLease).toISOString();

/** Returns the end of the pause after a number of failures in a row; undefined if requests do not pause. */
export function pauseAfter(failures: number, now: Date): string | undefined {
  if (failures < toleratedProgramFailures) return undefined;
  const pauseMs = programMs.firstPause * 2 ** (failures - toleratedProgramFailures);
  return new Date(now.getTime() + Math.min(pauseMs, programMs.longestPause)).toISOString();
}
