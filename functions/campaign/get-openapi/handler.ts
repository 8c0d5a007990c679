import { openApiEndpoint } from '../../../shared/http/openapi/openapi-endpoint.ts';
import { contract } from './contract.ts';

export const handler = openApiEndpoint(contract, async () => (await import('../../contracts.ts')).contracts);
