/**
 * Why a webhook was refused.
 *
 * - `missing_header`, `duplicate_header`: a header of the scheme is absent or empty, or is there more than once
 * - `malformed_timestamp`: the timestamp is not a whole number of seconds
 * - `too_old`, `too_new`: the timestamp differs from your clock by more than the tolerance
 * - `wrong_signature`: none of your salts signed this timestamp and body
 * - `malformed_body`: the signature is right, but the body is not an event
 */
export type WebhookRefusal =
  | 'missing_header'
  | 'duplicate_header'
  | 'malformed_timestamp'
  | 'too_old'
  | 'too_new'
  | 'wrong_signature'
  | 'malformed_body';

/** A request that is not a genuine webhook. Answer it with 401, and do not process it. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly reason: WebhookRefusal;

  constructor(reason: WebhookRefusal, message: string) {
    super(message);
    this.reason = reason;
  }
}
