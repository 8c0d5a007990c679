import { resourceHandler } from '../../../shared/http/resource.ts';
import { contract as listPartnershipsContract } from './list-partnerships/contract.ts';
import { handler as listPartnerships } from './list-partnerships/handler.ts';

export const handler = resourceHandler([[listPartnershipsContract, listPartnerships]]);
