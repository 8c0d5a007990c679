import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { organisationView } from '../../../../shared/http/views/organisation.ts';
import { changeSettingsStores, loadDesk } from '../../../../shared/operations/staff/change-settings.ts';
import { contract } from './contract.ts';

export const handler = managementEndpoint(contract, changeSettingsStores, async ({ caller, deps }) =>
  organisationView(await loadDesk(caller.organisationId, deps)),
);
