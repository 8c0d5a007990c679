/** An error of an AWS API. The reply contains its code, and the SDKs throw an exception of that name. */
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

/** The request violates a constraint of the API. */
export function validationError(message: string): AwsError {
  return new AwsError('ValidationException', message);
}
