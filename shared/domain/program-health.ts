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
  /** When the program last answered, to within `programMs.recordedAnswer`; ISO 8601. Absent if it never did. */
  answeredAt: z.optional(z.string()),
  /** The last failure: when, and why, such as `status 401` or `no reply in time`. */
  failure: z.optional(z.object({ at: z.string(), cause: z.string() })),
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

/** Whether an answer has to be recorded: the program failed before, or the recorded answer is old. */
export function isNews(health: ProgramHealth | undefined, now: Date): boolean {
  if (health?.answeredAt === undefined || health.failures > 0) return true;
  return now.getTime() - Date.parse(health.answeredAt) >= programMs.recordedAnswer;
}

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
