import { createHash, createHmac } from 'node:crypto';

/** For calls to AWS services that use no client of the SDK: the URL and the signature. */

/** AWS credentials, as the clients of the SDK resolve them. */
interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** The settings that a client of the SDK has resolved: `new DynamoDBClient({}).config`. */
export interface AwsSettings {
  readonly region: () => Promise<string>;
  readonly credentials: () => Promise<Credentials>;
}

/** A request to a service. Header names are in lower case and sorted. */
interface AwsRequest {
  /** `POST` by default. */
  readonly method?: string;
  /** Without a query; the root by default. */
  readonly path?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly service: string;
  readonly region: string;
}

/**
 * The URL that the environment gives for a service. The clients of the SDK read the same variables.
 *
 * @param service the name of the service in the variables, such as `SECRETS_MANAGER`
 * @returns undefined when the endpoint of the region applies
 */
export const endpointFromEnvironment = (service: string): string | undefined =>
  process.env[`AWS_ENDPOINT_URL_${service}`] ?? process.env.AWS_ENDPOINT_URL;

/** Adds the headers of AWS Signature Version 4. */
export function signedHeaders(
  { method = 'POST', path = '/', headers, body, service, region }: AwsRequest,
  { accessKeyId, secretAccessKey, sessionToken }: Credentials,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const all: Record<string, string> = {
    ...headers,
    'x-amz-date': time,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  };
  const names = Object.keys(all).sort();
  const canonical = [
    method,
    path,
    '',
    ...names.map((name) => `${name}:${all[name]?.trim()}`),
    '',
    names.join(';'),
    sha256(body),
  ].join('\n');
  const scope = [time.slice(0, 8), region, service, 'aws4_request'];
  const key = scope.reduce<Buffer | string>((parent, part) => hmac(parent, part), `AWS4${secretAccessKey}`);
  const content = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(canonical)].join('\n');
  return {
    ...all,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope.join('/')}, SignedHeaders=${names.join(';')}, Signature=${hmac(key, content).toString('hex')}`,
  };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();
