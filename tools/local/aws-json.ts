import { localAccount } from './account.ts';

/** An endpoint of AWS's JSON protocol: where it is, what its actions' names begin with, and its version. */
export interface AwsJsonService {
  readonly endpoint: string;
  readonly name: 'dynamodb' | 'sqs';
  readonly target: 'DynamoDB_20120810' | 'DynamoDBStreams_20120810' | 'AmazonSQS';
}

/** An error that the service answered with. */
export class AwsJsonError extends Error {
  override readonly name: string;
  readonly status: number;

  constructor(name: string, message: string, status: number) {
    super(`${name}: ${message}`);
    this.name = name;
    this.status = status;
  }
}

/**
 * Calls one action. The wire form is kept as it is, because the events that functions receive
 * hold it: numbers as strings, binary as base64, times as seconds.
 */
export async function callAws<Answer>(
  { endpoint, name, target }: AwsJsonService,
  action: string,
  input: object,
  signal?: AbortSignal,
): Promise<Answer> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `${target}.${action}`,
      // Nobody checks the signature; the region and the caller are read from it.
      authorization: `AWS4-HMAC-SHA256 Credential=platform/20260101/${localAccount.region}/${name}/aws4_request, SignedHeaders=host, Signature=0`,
    },
    body: JSON.stringify(input),
    ...(signal && { signal }),
  });
  const text = await response.text();
  const answer = text === '' ? {} : (JSON.parse(text) as { __type?: string; message?: string; Message?: string });
  if (response.ok) return answer as Answer;
  const type = (answer.__type ?? 'UnknownError').split('#').pop() ?? 'UnknownError';
  throw new AwsJsonError(type, answer.message ?? answer.Message ?? text, response.status);
}
