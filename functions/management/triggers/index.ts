import { resourceHandler } from '../../../shared/http/resource.ts';
import { contract as listTriggersContract } from './list-triggers/contract.ts';
import { handler as listTriggers } from './list-triggers/handler.ts';

export const handler = resourceHandler([[listTriggersContract, listTriggers]]);
