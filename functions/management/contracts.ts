import type { ManagementContract } from '../../shared/contracts/contract.ts';
import { contract as exportAudit } from './audit/export-audit/contract.ts';
import { contract as listAudit } from './audit/list-audit/contract.ts';
import { contract as actOnCampaign } from './campaigns/act-on-campaign/contract.ts';
import { contract as createCampaign } from './campaigns/create-campaign/contract.ts';
import { contract as deleteCampaign } from './campaigns/delete-campaign/contract.ts';
import { contract as getCampaign } from './campaigns/get-campaign/contract.ts';
import { contract as getVersion } from './campaigns/get-version/contract.ts';
import { contract as listCampaignHistory } from './campaigns/list-campaign-history/contract.ts';
import { contract as listCampaigns } from './campaigns/list-campaigns/contract.ts';
import { contract as saveCampaign } from './campaigns/save-campaign/contract.ts';
import { contract as changeSettings } from './organisation/change-settings/contract.ts';
import { contract as getOrganisation } from './organisation/get-organisation/contract.ts';
import { contract as listPartnerships } from './partnerships/list-partnerships/contract.ts';
import { contract as changeRoles } from './people/change-roles/contract.ts';
import { contract as invitePerson } from './people/invite-person/contract.ts';
import { contract as listPeople } from './people/list-people/contract.ts';
import { contract as removePerson } from './people/remove-person/contract.ts';
import { contract as acceptInvitation } from './session/accept-invitation/contract.ts';
import { contract as finishSignIn } from './session/finish-sign-in/contract.ts';
import { contract as getSession } from './session/get-session/contract.ts';
import { contract as signOut } from './session/sign-out/contract.ts';
import { contract as startSignIn } from './session/start-sign-in/contract.ts';
import { contract as createTemplate } from './templates/create-template/contract.ts';
import { contract as deleteTemplate } from './templates/delete-template/contract.ts';
import { contract as listTemplates } from './templates/list-templates/contract.ts';
import { contract as applyTrigger } from './triggers/apply-trigger/contract.ts';
import { contract as listTriggers } from './triggers/list-triggers/contract.ts';

/**
 * The contracts of the host that only the dashboard calls, by resource. The contracts of one resource share a Lambda:
 * functions/management/<resource>/index.ts has their handlers (decision 0185).
 */
export const managementResources: Readonly<Record<string, readonly ManagementContract[]>> = {
  session: [getSession, startSignIn, finishSignIn, signOut, acceptInvitation],
  organisation: [getOrganisation, changeSettings],
  people: [listPeople, invitePerson, changeRoles, removePerson],
  audit: [listAudit, exportAudit],
  campaigns: [
    ...[listCampaigns, createCampaign, getCampaign, saveCampaign, deleteCampaign],
    ...[actOnCampaign, listCampaignHistory, getVersion],
  ],
  partnerships: [listPartnerships],
  templates: [listTemplates, createTemplate, deleteTemplate],
  triggers: [listTriggers, applyTrigger],
};

/** All contracts of the host. */
export const managementContracts: readonly ManagementContract[] = Object.values(managementResources).flat();
