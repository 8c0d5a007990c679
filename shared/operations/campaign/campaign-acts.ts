import type { StaffPermission } from '../../contracts/staff-permissions.ts';
import type { CampaignActName } from '../../domain/campaign/authoring/acts.ts';
import type { ManagedCampaign } from '../../domain/campaign/document/campaign.ts';
import {
  type ApproveCampaignDeps,
  activateCampaign,
  approveCampaign,
  approveCampaignStores,
  type CampaignAct,
  discardNextVersion,
  endCampaign,
  findCampaignStores,
  pauseCampaign,
  rejectCampaign,
  resumeCampaign,
  submitCampaign,
} from './change-campaign.ts';

export const actOnCampaignStores = { ...findCampaignStores, ...approveCampaignStores };

/** The permission that a person needs for each act on a campaign. */
export const actPermissions = {
  edit: 'campaigns:write',
  submit: 'campaigns:write',
  discard: 'campaigns:write',
  delete: 'campaigns:write',
  duplicate: 'campaigns:write',
  create_template: 'templates:write',
  approve: 'campaigns:approve',
  reject: 'campaigns:approve',
  pause: 'campaigns:approve',
  resume: 'campaigns:approve',
  activate: 'campaigns:approve',
  end: 'campaigns:approve',
} as const satisfies Readonly<Record<CampaignActName, StaffPermission>>;

/** The acts that change the state of a campaign, and need no more than a reason. */
export const stateActNames = [
  'submit',
  'approve',
  'reject',
  'pause',
  'resume',
  'activate',
  'end',
  'discard',
] as const satisfies readonly CampaignActName[];
export type StateActName = (typeof stateActNames)[number];

type RunAct = (act: CampaignAct & { readonly reason: string }, deps: ApproveCampaignDeps) => Promise<ManagedCampaign>;

const runs: Readonly<Record<StateActName, RunAct>> = {
  submit: submitCampaign,
  approve: approveCampaign,
  reject: rejectCampaign,
  pause: pauseCampaign,
  resume: resumeCampaign,
  activate: activateCampaign,
  end: endCampaign,
  discard: discardNextVersion,
};

/**
 * Does an act on a campaign.
 *
 * @param act with the reason of a rejection; other acts ignore it
 * @throws as the operation of the act
 */
export const actOnCampaign = (
  name: StateActName,
  act: CampaignAct & { readonly reason: string },
  deps: ApproveCampaignDeps,
): Promise<ManagedCampaign> => runs[name](act, deps);
