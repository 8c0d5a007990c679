import type { AnyContract } from '../../contracts/contract.ts';
import { once } from '../../domain/memoize.ts';
import { endpoint } from '../endpoint.ts';
import type { openApiContract } from './openapi-contract.ts';

/**
 * The Lambda of a host's documentation. The first request loads the contracts and builds the document; later
 * requests receive the same one.
 *
 * @param loadContracts imports the list of contracts when it is called
 */
export function openApiEndpoint(
  contract: ReturnType<typeof openApiContract>,
  loadContracts: () => Promise<readonly AnyContract[]>,
) {
  const document = once(async () => {
    const [{ openApiOf, publishedEdition }, contracts] = await Promise.all([import('./document.ts'), loadContracts()]);
    return openApiOf(contract.host, contracts, publishedEdition(contract.host));
  });
  return endpoint(contract, {}, async ({ baseUrl }) => ({
    ...(await document()),
    servers: [{ url: baseUrl, description: 'The host of this document' }],
  }));
}
