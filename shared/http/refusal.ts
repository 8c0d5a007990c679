/** One fault of a request: where (JSON Pointer), what, in words. */
export interface Fault {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/** What a refusal may say beside its identifier. */
export interface RefusalDetails {
  readonly faults?: readonly Fault[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** A reply that is not a success, thrown from wherever it is found out and turned into a reply in one place. */
export class RequestRefusedError extends Error {
  override readonly name = 'RequestRefusedError';
  readonly status: number;
  readonly identifier: string;
  readonly faults: readonly Fault[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, identifier: string, message: string, details: RefusalDetails = {}) {
    super(message);
    this.status = status;
    this.identifier = identifier;
    this.faults = details.faults;
    this.headers = details.headers ?? {};
  }
}
