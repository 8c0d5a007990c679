import * as z from 'zod/mini';
import { maximumAttempts, timingMs } from '../contracts/limits.ts';
import { parseJson } from '../domain/parse-json.ts';
import { type AwsSettings, signedHeaders } from './aws-signature.ts';

/** The service refused a call. */
export class SecretsManagerError extends Error {
  override readonly name = 'SecretsManagerError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(`Secrets Manager: ${code}: ${message}`);
    this.code = code;
  }
}

const ErrorBody = z.object({ __type: z.string(), message: z.optional(z.string()), Message: z.optional(z.string()) });
const SecretValue = z.object({ SecretString: z.string() });

/**
 * Reads and writes texts in AWS Secrets Manager. For its three calls, the SDK's client would be too large. This class
 * adds two kilobytes to a bundle and almost no start-up time.
 */
export class SecretsManager {
  readonly #settings: AwsSettings;
  readonly #endpoint: string | undefined;
  readonly #now: () => Date;

  /** @param endpoint replaces the endpoint of the region, on a developer's machine */
  constructor(settings: AwsSettings, endpoint: string | undefined, now: () => Date) {
    this.#settings = settings;
    this.#endpoint = endpoint;
    this.#now = now;
  }

  /** Reads the present or the previous text of a secret; undefined when there is none. */
  async read(name: string, version: 'AWSCURRENT' | 'AWSPREVIOUS' = 'AWSCURRENT'): Promise<string | undefined> {
    try {
      const reply = await this.#call('GetSecretValue', { SecretId: name, VersionStage: version });
      return SecretValue.parse(reply).SecretString;
    } catch (error) {
      if (error instanceof SecretsManagerError && error.code === 'ResourceNotFoundException') return undefined;
      throw error;
    }
  }

  /** Creates a secret, or replaces its text. */
  async write(name: string, text: string): Promise<void> {
    try {
      await this.#call('CreateSecret', { Name: name, SecretString: text });
    } catch (error) {
      if (!(error instanceof SecretsManagerError && error.code === 'ResourceExistsException')) throw error;
      await this.#call('PutSecretValue', { SecretId: name, SecretString: text });
    }
  }

  /** Repeats a call that the service could not answer. Each call may be repeated: it reads, or writes the same text. */
  async #call(action: string, input: object): Promise<unknown> {
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#send(action, JSON.stringify(input));
      const text = await response.text();
      if (response.ok) return JSON.parse(text);
      if (response.status < 500 || attempt === maximumAttempts.secretsManager) throw toError(response.status, text);
    }
  }

  async #send(action: string, body: string): Promise<Response> {
    const region = await this.#settings.region();
    const endpoint = this.#endpoint ?? `https://secretsmanager.${region}.amazonaws.com`;
    const headers = {
      'content-type': 'application/x-amz-json-1.1',
      host: new URL(endpoint).host,
      'x-amz-target': `secretsmanager.${action}`,
    };
    const request = { headers, body, service: 'secretsmanager', region };
    return fetch(endpoint, {
      method: 'POST',
      headers: signedHeaders(request, await this.#settings.credentials(), this.#now()),
      body,
      signal: AbortSignal.timeout(timingMs.secretsManager),
    });
  }
}

function toError(status: number, text: string): SecretsManagerError {
  const parsed = ErrorBody.safeParse(parseJson(text));
  if (!parsed.success) return new SecretsManagerError(`status ${status}`, text.slice(0, 200));
  const { __type, message, Message = '' } = parsed.data;
  return new SecretsManagerError(__type.split('#').at(-1) ?? __type, message ?? Message);
}
