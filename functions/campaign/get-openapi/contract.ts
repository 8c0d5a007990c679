import { openApiContract } from '../../../shared/http/openapi/openapi-contract.ts';

export const contract = openApiContract('campaign');
