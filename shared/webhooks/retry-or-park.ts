import { toSeconds, webhookAttemptDelaysMs, webhookMs } from '../contracts/limits.ts';

const maximumDelaySeconds = toSeconds(webhookMs.messageDelay);
const attemptDelaysSeconds = webhookAttemptDelaysMs.map(toSeconds);

/** The largest random deviation from a delay, as a share of the delay. It spreads the attempts after an outage. */
const jitter = 0.2;

/** A delay with a random deviation of up to a fifth. `random` is at least 0 and below 1. */
export const withJitter = (delay: number, random: number): number => delay * (1 - jitter + 2 * jitter * random);

/** The next step of a delivery after a failed attempt. `give-up`: there are no attempts left. */
export type NextStep =
  | { readonly kind: 'retry'; readonly delaySeconds: number }
  | { readonly kind: 'park'; readonly delaySeconds: number }
  | { readonly kind: 'give-up' };

/** The values of a failed attempt that decide the next step. */
export interface FailedTry {
  /** 1 for the first. */
  readonly attempt: number;
  /** The pause that the endpoint asked for with Retry-After. The next attempt is never earlier. */
  readonly retryAfterSeconds?: number;
  /** At least 0, below 1. */
  readonly random: number;
}

/** Decides the next step and its delay. The step is `park` when a queue cannot hold a message that long. */
export function nextStep({ attempt, retryAfterSeconds = 0, random }: FailedTry): NextStep {
  const baseSeconds = attemptDelaysSeconds[attempt];
  if (baseSeconds === undefined) return { kind: 'give-up' };

  // An endpoint may refuse many deliveries with the same Retry-After. Each of them waits for this pause and a random
  // time more, so that not all of them are sent again at once.
  const floor = retryAfterSeconds * (1 + jitter * random);
  const delaySeconds = Math.round(Math.max(withJitter(baseSeconds, random), floor));
  if (baseSeconds > maximumDelaySeconds || retryAfterSeconds > maximumDelaySeconds)
    return { kind: 'park', delaySeconds };
  return { kind: 'retry', delaySeconds: Math.min(maximumDelaySeconds, delaySeconds) };
}
