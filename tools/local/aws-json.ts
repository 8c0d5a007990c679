import { localAccount } from './account.ts';

/** An endpoint of AWS's JSON protocol. `target` is the prefix of its action names, with the version. */
export interface AwsJsonService {
  readonly endpoint: string;
  readonly name: 'dynamodb' | 'sqs' | 'events';
  readonly target: 'DynamoDB_20120810' | 'DynamoDBStreams_20120810' | 'AmazonSQS' | 'AWSEvents';
  /** Cancels the calls. */
  readonly signal?: AbortSignal;
}

/** @param endpoint the URL of DynamoDB Local, or of the proxy, which the local platform's own calls do not use */
export function dynamoDbService(endpoint: string): AwsJsonService {
  return { endpoint, name: 'dynamodb', target: 'DynamoDB_20120810' };
}

export function dynamoDbStreamsService(endpoint: string): AwsJsonService {
  return { endpoint, name: 'dynamodb', target: 'DynamoDBStreams_20120810' };
}

export function sqsService(endpoint: string): AwsJsonService {
  return { endpoint, name: 'sqs', target: 'AmazonSQS' };
}

/** An error reply of the service. */
export class AwsJsonError extends Error {
  override readonly name: string;
  readonly status: number;

  constructor(name: string, message: string, status: number) {
    super(`${name}: ${message}`);
    this.name = name;
    this.status = status;
  }
}

interface ErrorBody {
  readonly __type?: string;
  readonly message?: string;
  readonly Message?: string;
}

/**
 * Calls one action. Values keep their wire form, because functions receive this form in their events: numbers as
 * strings, binary as base64, times as seconds.
 * @throws AwsJsonError when the service refuses the call
 */
export async function callAws<Reply>(
  { endpoint, name, target, signal }: AwsJsonService,
  action: string,
  input: object,
): Promise<Reply> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `${target}.${action}`,
      // The signature is not checked. The services read the region and the access key.
      authorization: `AWS4-HMAC-SHA256 Credential=platform/20260101/${localAccount.region}/${name}/aws4_request, SignedHeaders=host, Signature=0`,
    },
    body: JSON.stringify(input),
    ...(signal && { signal }),
  });
  const text = (await response.text()) || '{}';
  if (response.ok) return JSON.parse(text);
  const error: ErrorBody = JSON.parse(text);
  const type = (error.__type ?? 'UnknownError').split('#').pop() ?? 'UnknownError';
  throw new AwsJsonError(type, error.message ?? error.Message ?? text, response.status);
}
