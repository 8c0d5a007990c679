/** An error of an AWS API: its code goes on the wire, and the SDKs turn it into an exception of that name. */
export class AwsError extends Error {
  override readonly name = 'AwsError';
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** The request does not satisfy a constraint of the API. */
export function validationError(message: string): AwsError {
  return new AwsError('ValidationException', message);
}
