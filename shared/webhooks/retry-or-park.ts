import { toSeconds, webhookAttemptDelaysMs, webhookMs } from '../contracts/limits.ts';

const maximumDelaySeconds = toSeconds(webhookMs.messageDelay);
const attemptDelaysSeconds = webhookAttemptDelaysMs.map(toSeconds);

/** The largest random deviation from a delay, as a share of the delay. It prevents a burst at the end of an outage. */
const jitter = 0.2;

/** The next step of a delivery after a failed attempt. */
export type NextStep =
  | { readonly kind: 'retry'; readonly delaySeconds: number }
  | { readonly kind: 'park'; readonly notBeforeSeconds: number };

/** The values of a failed attempt that decide the next step. */
export interface FailedTry {
  /** 1 for the first. */
  readonly attempt: number;
  /** The endpoint's Retry-After: the next attempt is never earlier. */
  readonly retryAfterSeconds?: number;
  /** 0 to 1, below 1. */
  readonly random: number;
}

/**
 * Returns the delay of the next attempt. Parks the delivery after the last attempt, and when the endpoint asks for a
 * longer pause than a queue can hold a message.
 */
export function nextStep({ attempt, retryAfterSeconds = 0, random }: FailedTry): NextStep {
  const baseSeconds = attemptDelaysSeconds[attempt];
  if (baseSeconds === undefined || retryAfterSeconds > maximumDelaySeconds) {
    return { kind: 'park', notBeforeSeconds: retryAfterSeconds };
  }

  const jittered = baseSeconds * (1 - jitter + 2 * jitter * random);
  // An endpoint may refuse many deliveries with the same Retry-After. Each gets a random delay above it, never below.
  const floor = retryAfterSeconds * (1 + jitter * random);
  return { kind: 'retry', delaySeconds: Math.min(maximumDelaySeconds, Math.round(Math.max(jittered, floor))) };
}
