import { resourceHandler } from '../../../shared/http/resource.ts';
import { contract as applyTriggerContract } from './apply-trigger/contract.ts';
import { handler as applyTrigger } from './apply-trigger/handler.ts';
import { contract as listTriggersContract } from './list-triggers/contract.ts';
import { handler as listTriggers } from './list-triggers/handler.ts';

export const handler = resourceHandler([
  [listTriggersContract, listTriggers],
  [applyTriggerContract, applyTrigger],
]);
