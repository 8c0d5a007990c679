import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { triggerUseView } from '../../../../shared/http/views/managed-partnership.ts';
import { snakeCased } from '../../../../shared/http/views/snake-case.ts';
import { listTriggers, listTriggersStores } from '../../../../shared/operations/partnership/load-choices.ts';
import { contract } from './contract.ts';

export const handler = managementEndpoint(contract, listTriggersStores, async ({ caller, deps }) => {
  const triggers = await listTriggers(caller.organisationId, deps);
  return { triggers: triggers.map((one) => snakeCased(triggerUseView(one))) };
});
