import type { AnyContract } from '../../contracts/contract.ts';
import { once } from '../../domain/memoize.ts';
import { endpoint } from '../endpoint.ts';
import { publishedEdition } from './edition.ts';
import type { openApiContract } from './openapi-contract.ts';

/**
 * The Lambda of a host's documentation. Every contract and what reads them are loaded, and the document is
 * made, at the first request; it is served from then on.
 *
 * @param loadContracts imports the list of contracts; not before it is called
 */
export function openApiEndpoint(
  contract: ReturnType<typeof openApiContract>,
  loadContracts: () => Promise<readonly AnyContract[]>,
) {
  const document = once(async () => {
    const [{ openApiOf }, contracts] = await Promise.all([import('./document.ts'), loadContracts()]);
    return openApiOf(contract.host, contracts, publishedEdition(contract.host));
  });
  return endpoint(contract, {}, async ({ baseUrl }) => ({
    ...(await document()),
    servers: [{ url: baseUrl, description: 'The host that gave this document' }],
  }));
}
