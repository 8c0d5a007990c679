/**
 * Makes the base class of an error without data. Contracts map errors by `name`. The name is an argument, because
 * minifying a bundle changes the names of classes.
 */
export function plainError<const Name extends string>(name: Name, defaultMessage: string) {
  return class extends Error {
    override readonly name = name;

    constructor(message = defaultMessage) {
      super(message);
    }
  };
}

/** One fault of an operation's input. */
export interface InputFault {
  /** The input's name, followed by the names of its nested fields. */
  readonly path: readonly string[];
  readonly code: string;
  /** Reads as a sentence after the path: `is required`. */
  readonly message: string;
}

/** The input of an operation is faulty. Contains every fault that was found. */
export class InvalidInputError extends Error {
  override readonly name = 'InvalidInputError';
  readonly faults: readonly InputFault[];

  constructor(faults: readonly InputFault[]) {
    super(faults.map(({ path, message }) => `${path.join('.')} ${message}`).join(', '));
    this.faults = faults;
  }
}

/** Too many attempts failed. The caller may try again after a pause. Every endpoint answers with 429. */
export class TooManyAttemptsError extends Error {
  override readonly name = 'TooManyAttemptsError';
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The thing has another revision than the one that the caller changes. Nothing was written. */
export class ChangedMeanwhileError extends Error {
  override readonly name = 'ChangedMeanwhileError';
  readonly change: LastChange;

  constructor(change: LastChange) {
    super(`${change.by ?? 'Somebody'} has changed it meanwhile`);
    this.change = change;
  }
}

/** The last change of a thing. */
export interface LastChange {
  readonly revision: number;
  /** The name of the person, or of the operator's command; null if it is unknown. */
  readonly by: string | null;
  /** ISO 8601; null if it is unknown. */
  readonly at: string | null;
}

/** The user does not exist, or is not the caller's. */
export class UserNotFoundError extends plainError('UserNotFoundError', 'The user does not exist') {}

/** The partnership does not exist, is deleted, or is not the caller's. */
export class PartnershipNotFoundError extends plainError(
  'PartnershipNotFoundError',
  'The partnership does not exist',
) {}

/** The campaign does not exist, is not running, or is not the caller's. */
export class CampaignNotFoundError extends plainError('CampaignNotFoundError', 'The campaign does not exist') {}

/** The reward transaction does not exist, or is not the caller's. */
export class TransactionNotFoundError extends plainError(
  'TransactionNotFoundError',
  'The transaction does not exist',
) {}
