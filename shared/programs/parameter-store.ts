import * as z from 'zod/mini';
import { maximumAttempts, timingMs } from '../contracts/limits.ts';
import { type AwsSettings, signedHeaders } from './aws-signature.ts';

/** A parameter is missing, or the service refused the call. */
export class ParameterStoreError extends Error {
  override readonly name = 'ParameterStoreError';
}

const Found = z.object({ Parameters: z.array(z.object({ Name: z.string(), Value: z.string() })) });

/** Reads values of the Parameter Store that the stacks of a stage have stored for each other. */
export class ParameterStore {
  readonly #settings: AwsSettings;
  readonly #endpoint: string | undefined;
  readonly #now: () => Date;

  /** @param endpoint replaces the endpoint of the region, on a developer's machine */
  constructor(settings: AwsSettings, endpoint: string | undefined, now: () => Date) {
    this.#settings = settings;
    this.#endpoint = endpoint;
    this.#now = now;
  }

  /**
   * Reads values by their names, at most ten in one call. A call that the service could not answer is repeated.
   *
   * @param region where the values are stored; the region of the function by default
   * @returns the values in the order of the names
   * @throws ParameterStoreError that names each missing value
   */
  async read<const Names extends readonly string[]>(
    names: Names,
    region?: string,
  ): Promise<{ readonly [Position in keyof Names]: string }> {
    const { Parameters: found } = Found.parse(await this.#call({ Names: names }, region));
    const values = new Map(found.map(({ Name, Value }) => [Name, Value]));
    const missing = names.filter((name) => !values.has(name));
    if (missing.length > 0) throw new ParameterStoreError(`the Parameter Store has no ${missing.join(', ')}`);
    return names.map((name) => values.get(name)) as { readonly [Position in keyof Names]: string };
  }

  async #call(input: object, region: string | undefined): Promise<unknown> {
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#send(JSON.stringify(input), region ?? (await this.#settings.region()));
      if (response.ok) return response.json();
      const text = (await response.text()).slice(0, 200);
      if (response.status < 500 || attempt === maximumAttempts.parameterStore) {
        throw new ParameterStoreError(`Parameter Store: status ${response.status}: ${text}`);
      }
    }
  }

  async #send(body: string, region: string): Promise<Response> {
    const endpoint = this.#endpoint ?? `https://ssm.${region}.amazonaws.com`;
    const headers = {
      'content-type': 'application/x-amz-json-1.1',
      host: new URL(endpoint).host,
      'x-amz-target': 'AmazonSSM.GetParameters',
    };
    const request = { headers, body, service: 'ssm', region };
    return fetch(endpoint, {
      method: 'POST',
      headers: signedHeaders(request, await this.#settings.credentials(), this.#now()),
      body,
      signal: AbortSignal.timeout(timingMs.parameterStore),
    });
  }
}
