import { hosts } from '../../../shared/contracts/contract.ts';
import { once } from '../../../shared/domain/memoize.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { openApiContract } from './contract.ts';

/** The host of this Lambda. Its service is called `<host>/get-openapi`; the services of tests have other names. */
const host = hosts.find((each) => process.env.POWERTOOLS_SERVICE_NAME?.startsWith(`${each}/`)) ?? 'base';

/** Loads the contracts and builds the document at the first request. Later requests receive the same one. */
const document = once(async () => {
  const [{ openApiOf, publishedEdition }, { contracts }] = await Promise.all([
    import('../../../shared/http/openapi/document.ts'),
    import('../../contracts.ts'),
  ]);
  return openApiOf(host, contracts, publishedEdition(host));
});

/** The Lambda of a host's documentation: the same code for every host. */
export const handler = endpoint(openApiContract(host), {}, async ({ baseUrl }) => ({
  ...(await document()),
  servers: [{ url: baseUrl, description: 'The host of this document' }],
}));
