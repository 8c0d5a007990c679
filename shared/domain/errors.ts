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

/** The user does not exist, or is not the caller's. */
export class UserNotFoundError extends Error {
  override readonly name = 'UserNotFoundError';

  constructor() {
    super('The user does not exist');
  }
}

/** The partnership does not exist, is deleted, or is not the caller's. */
export class PartnershipNotFoundError extends Error {
  override readonly name = 'PartnershipNotFoundError';

  constructor() {
    super('The partnership does not exist');
  }
}

/** The campaign does not exist, is not running, or is not the caller's. */
export class CampaignNotFoundError extends Error {
  override readonly name = 'CampaignNotFoundError';

  constructor(message = 'The campaign does not exist') {
    super(message);
  }
}

/** The reward transaction does not exist, or is not the caller's. */
export class TransactionNotFoundError extends Error {
  override readonly name = 'TransactionNotFoundError';

  constructor() {
    super('The transaction does not exist');
  }
}
