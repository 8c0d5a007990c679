/** One fault of a request: where it is (JSON Pointer), and what is wrong. */
export interface ApiFault {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/** A change that came before the person's. */
export interface EarlierChange {
  /** The person, or the organisation of the other side; null when it is not known. */
  readonly by: string | null;
  /** ISO 8601; null when it is not known. */
  readonly at: string | null;
}

/** Why a call did not succeed, with what the server replied. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** Status of the reply; 0 when there was no reply. */
  readonly status: number;
  /** `offline` when there was no reply; otherwise the server's word, such as `changed_meanwhile`. */
  readonly identifier: string;
  readonly faults: readonly ApiFault[];
  /** Who changed the object meanwhile, and when. Only of a conflict. */
  readonly change: EarlierChange | null;
  /** The body of the reply, for the fields that only one refusal has. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, identifier: string, message: string, body: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.status = status;
    this.identifier = identifier;
    this.body = body;
    this.faults = Array.isArray(body.errors) ? body.errors : [];
    const { change } = body;
    this.change = typeof change === 'object' && change !== null ? { by: null, at: null, ...change } : null;
  }

  /** Whether the same call may succeed a little later. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }

  get isOffline(): boolean {
    return this.status === 0;
  }

  /** Somebody else changed the object after this page loaded it. */
  get isConflict(): boolean {
    return this.status === 412;
  }
}
