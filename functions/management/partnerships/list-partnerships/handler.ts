import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { choicesView } from '../../../../shared/http/views/managed-partnership.ts';
import { snakeCased } from '../../../../shared/http/views/snake-case.ts';
import { loadChoices, loadChoicesStores } from '../../../../shared/operations/partnership/load-choices.ts';
import { contract } from './contract.ts';

export const handler = managementEndpoint(contract, loadChoicesStores, async ({ caller, deps }) => {
  const partnerships = await loadChoices(caller.organisationId, deps);
  return { partnerships: partnerships.map((one) => snakeCased(choicesView(one))) };
});
