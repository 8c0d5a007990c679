import type { AnyContract } from '../http/contract.ts';
import { endpoint } from '../http/endpoint.ts';
import { once } from '../runtime/once.ts';
import { openApiOf } from './document.ts';
import { publishedEdition } from './edition.ts';
import type { openApiContract } from './openapi-contract.ts';

/** The Lambda of a host's documentation. The document is made at the first request, and served from then on. */
export function openApiEndpoint(contract: ReturnType<typeof openApiContract>, contracts: readonly AnyContract[]) {
  const document = once(() => openApiOf(contract.host, contracts, publishedEdition(contract.host)));
  return endpoint(contract, {}, async ({ baseUrl }) => ({
    ...document(),
    servers: [{ url: baseUrl, description: 'The host that gave this document' }],
  }));
}
