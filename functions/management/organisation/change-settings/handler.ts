import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { withAuthor } from '../../../../shared/http/organisation-request.ts';
import { organisationView } from '../../../../shared/http/views/organisation.ts';
import { changeSettings, changeSettingsStores } from '../../../../shared/operations/staff/change-settings.ts';
import { contract } from './contract.ts';

export const handler = managementEndpoint(contract, changeSettingsStores, async (call) => {
  const { caller, body, revision } = call;
  const { name, four_eyes: fourEyes } = body;
  const wanted = { organisationId: caller.organisationId, name, fourEyes, revision };
  return organisationView(await changeSettings(wanted, withAuthor(contract, call)));
});
