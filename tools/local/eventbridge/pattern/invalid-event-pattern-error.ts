/** The event pattern is not one EventBridge accepts; the message says what is wrong with it. */
export class InvalidEventPatternError extends Error {
  override readonly name = 'InvalidEventPatternError';
}
