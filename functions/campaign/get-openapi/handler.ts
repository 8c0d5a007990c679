import { openApiEndpoint } from '../../../shared/openapi/openapi-endpoint.ts';
import { contracts } from '../../contracts.ts';
import { contract } from './contract.ts';

export const handler = openApiEndpoint(contract, contracts);
