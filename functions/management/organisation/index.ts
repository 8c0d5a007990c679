import { resourceHandler } from '../../../shared/http/resource.ts';
import { contract as changeSettingsContract } from './change-settings/contract.ts';
import { handler as changeSettings } from './change-settings/handler.ts';
import { contract as getOrganisationContract } from './get-organisation/contract.ts';
import { handler as getOrganisation } from './get-organisation/handler.ts';

export const handler = resourceHandler([
  [getOrganisationContract, getOrganisation],
  [changeSettingsContract, changeSettings],
]);
