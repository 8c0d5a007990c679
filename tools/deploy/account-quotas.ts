import * as z from 'zod/mini';
import { type AwsSettings, signedHeaders } from '../../shared/programs/aws-signature.ts';
import type { AccountQuota } from './quota-check.ts';

const QuotaPage = z.object({
  NextToken: z.optional(z.nullable(z.string())),
  Quotas: z.array(
    z.object({
      ServiceCode: z.string(),
      QuotaCode: z.string(),
      QuotaName: z.string(),
      Value: z.optional(z.number()),
      Adjustable: z.optional(z.boolean()),
    }),
  ),
});

/** Service Quotas did not return the quotas of the account. */
export class QuotasUnreadableError extends Error {
  override readonly name = 'QuotasUnreadableError';
}

/** Reads the quotas of an account from Service Quotas. Uses no client of the SDK, because only two calls are needed. */
export class AccountQuotas {
  readonly #settings: AwsSettings;
  readonly #endpoint: string | undefined;

  /** @param endpoint replaces the endpoint of the region */
  constructor(settings: AwsSettings, endpoint?: string) {
    this.#settings = settings;
    this.#endpoint = endpoint;
  }

  /**
   * The quotas of some services. If AWS has set no value for the account, the quota is AWS's default.
   *
   * @throws QuotasUnreadableError when a service refuses, or does not answer
   */
  async of(services: readonly string[]): Promise<AccountQuota[]> {
    const byService: AccountQuota[][] = [];
    // One service after the other: Service Quotas accepts few requests a second.
    for (const service of services) byService.push(await this.#ofService(service));
    return byService.flat();
  }

  async #ofService(service: string): Promise<AccountQuota[]> {
    const quotas = new Map<string, AccountQuota>();
    for (const action of ['ListAWSDefaultServiceQuotas', 'ListServiceQuotas']) {
      for (const quota of await this.#list(action, service)) quotas.set(quota.code, quota);
    }
    return [...quotas.values()];
  }

  async #list(action: string, service: string): Promise<AccountQuota[]> {
    const found: AccountQuota[] = [];
    let token: string | null | undefined;
    do {
      const page = await this.#call(action, {
        ServiceCode: service,
        MaxResults: 100,
        ...(token && { NextToken: token }),
      });
      for (const { QuotaCode: code, QuotaName: name, Value: value, Adjustable: isAdjustable = false } of page.Quotas) {
        if (value !== undefined) found.push({ service, code, name, value, isAdjustable });
      }
      token = page.NextToken;
    } while (token);
    return found;
  }

  async #call(action: string, input: object): Promise<z.infer<typeof QuotaPage>> {
    try {
      const region = await this.#settings.region();
      const endpoint = this.#endpoint ?? `https://servicequotas.${region}.amazonaws.com`;
      const body = JSON.stringify(input);
      const headers = {
        'content-type': 'application/x-amz-json-1.1',
        host: new URL(endpoint).host,
        'x-amz-target': `ServiceQuotasV20190624.${action}`,
      };
      const request = { headers, body, service: 'servicequotas', region };
      const response = await fetch(endpoint, {
        method: 'POST',
        headers: signedHeaders(request, await this.#settings.credentials(), new Date()),
        body,
        signal: AbortSignal.timeout(10_000),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 200)}`);
      return QuotaPage.parse(JSON.parse(text));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new QuotasUnreadableError(`Service Quotas does not tell the quotas of the account: ${reason}`);
    }
  }
}
