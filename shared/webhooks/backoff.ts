import { toSeconds, webhookAttemptDelaysMs, webhookMs } from '../contracts/limits.ts';

const maximumDelaySeconds = toSeconds(webhookMs.messageDelay);
const attemptDelaysSeconds = webhookAttemptDelaysMs.map(toSeconds);

/** How far a delay may lie from the table's, as a share, so that one outage does not end in one burst. */
const jitter = 0.2;

/** What follows a failed attempt. */
export type NextStep =
  | { readonly kind: 'retry'; readonly delaySeconds: number }
  | { readonly kind: 'park'; readonly notBeforeSeconds: number };

/** A failed attempt, as far as the next one depends on it. */
export interface FailedAttempt {
  /** 1 for the first. */
  readonly attempt: number;
  /** What the endpoint asked for by Retry-After: never retried earlier. */
  readonly retryAfterSeconds?: number;
  /** 0 to 1, below 1. */
  readonly random: number;
}

/**
 * When the next attempt is due, or that it waits in the table: after the last delay of the table, and
 * when the endpoint asked for more time than a queue can hold a message.
 */
export function nextStep({ attempt, retryAfterSeconds = 0, random }: FailedAttempt): NextStep {
  const baseSeconds = attemptDelaysSeconds[attempt];
  if (baseSeconds === undefined || retryAfterSeconds > maximumDelaySeconds) {
    return { kind: 'park', notBeforeSeconds: retryAfterSeconds };
  }

  const jittered = baseSeconds * (1 - jitter + 2 * jitter * random);
  // Everybody that was sent away by one 429 heard the same number: spread them above it, never below.
  const floor = retryAfterSeconds * (1 + jitter * random);
  return { kind: 'retry', delaySeconds: Math.min(maximumDelaySeconds, Math.round(Math.max(jittered, floor))) };
}
