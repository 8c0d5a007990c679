import { openApiContract } from '../../../shared/openapi/openapi-contract.ts';

export const contract = openApiContract('user');
