import * as lifecycle from '../../../shared/domain/campaign/authoring/lifecycle.ts';
import type { Act, Outcome } from '../../../shared/domain/campaign/authoring/outcome.ts';
import * as review from '../../../shared/domain/campaign/authoring/review.ts';
import { validateCampaign } from '../../../shared/domain/campaign/authoring/validate.ts';
import type { ManagedCampaign } from '../../../shared/domain/campaign/document/record.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { changeWrites, rescheduleWrite } from '../../../shared/store/campaign/campaign-records.ts';
import { OperatorError } from '../cli/errors.ts';
import type { Change } from '../make/change.ts';
import { FaultyFileError } from './faults.ts';
import { settingsOf } from './settings.ts';

/** What operators do with campaigns, each time for one organisation. Nothing is written yet by what is given back. */

/** Who acts on which campaign. */
export interface CampaignAct {
  readonly campaignId: number;
  readonly organisationId: number;
  /** The revision that was looked at before; another one is refused. */
  readonly revision?: number | undefined;
}

/** Approves the next version as it is. @throws OperatorError with the reason when that is not possible */
export const approveCampaign = (platform: Platform, on: CampaignAct) =>
  changeCampaign(platform, on, async (campaign, act) => {
    await requireSound(platform, campaign);
    return review.approve(campaign, act);
  });

/** Sends the version that is reviewed back, with a reason. @throws OperatorError */
export const rejectCampaign = (platform: Platform, on: CampaignAct & { readonly reason: string }) =>
  changeCampaign(platform, on, (campaign, act) => review.reject(campaign, on.reason, act));

/** Gives the next version up. @throws OperatorError */
export const discardEdit = (platform: Platform, on: CampaignAct) => changeCampaign(platform, on, review.discard);

/** @throws OperatorError */
export const pauseCampaign = (platform: Platform, on: CampaignAct) => changeCampaign(platform, on, lifecycle.pause);

/** @throws OperatorError */
export const resumeCampaign = (platform: Platform, on: CampaignAct) => changeCampaign(platform, on, lifecycle.resume);

/** Starts a scheduled campaign now. @throws OperatorError */
export const activateCampaign = (platform: Platform, on: CampaignAct) =>
  changeCampaign(platform, on, lifecycle.activate);

/** Ends a campaign for good. @throws OperatorError */
export const endCampaign = (platform: Platform, on: CampaignAct) => changeCampaign(platform, on, lifecycle.end);

/** Deletes a draft, or a campaign that has ended. @throws OperatorError */
export const deleteCampaign = (platform: Platform, on: CampaignAct) => changeCampaign(platform, on, lifecycle.remove);

/**
 * Does what the clock should have done, and has the clock set anew: for a schedule that was lost.
 *
 * @throws OperatorError when there is no such campaign
 */
export async function advanceCampaign(platform: Platform, campaignId: number): Promise<Change<ManagedCampaign>> {
  const campaign = await findCampaign(platform, campaignId);
  const context = { now: platform.now(), nextUuid: platform.nextUuid };
  const change = lifecycle.advance(campaign, context.now);
  return change
    ? { made: change, writes: changeWrites(campaign, change, context) }
    : { made: campaign, writes: [rescheduleWrite(campaignId, context)] };
}

/** A campaign, whoever's. @throws OperatorError when there is none of this id */
export async function findCampaign({ campaignRecords }: Platform, id: number): Promise<ManagedCampaign> {
  const campaign = await campaignRecords.find(id);
  if (!campaign) throw new OperatorError(`there is no campaign ${id}`);
  return campaign;
}

/**
 * Decides a change of a campaign as it is now. What is due by the clock is done before, in a write of its
 * own, so that nobody pauses what the clock is about to end.
 */
export async function changeCampaign(
  platform: Platform,
  { campaignId, organisationId, revision }: CampaignAct,
  decide: (campaign: ManagedCampaign, act: Act) => Outcome | Promise<Outcome>,
): Promise<Change<ManagedCampaign>> {
  const found = await findCampaign(platform, campaignId);
  if (revision !== undefined && revision !== found.record.revision) throw new OperatorError(changedText(campaignId));
  const context = { now: platform.now(), nextUuid: platform.nextUuid };
  const due = lifecycle.advance(found, context.now);
  if (due) await platform.campaignRecords.write(found, due, context);

  const campaign = due ?? found;
  const outcome = await decide(campaign, { organisationId, now: context.now });
  if (outcome.kind === 'refused') throw new OperatorError(outcome.reason);
  return { made: outcome, writes: changeWrites(campaign, outcome, context) };
}

/** What to say when a condition of the writes does not hold. */
export const changedText = (id: number) =>
  `campaign ${id} was changed by somebody else meanwhile: look at it again; nothing was changed now`;

/** The partnership, and its triggers, may have changed since the version was written. */
async function requireSound(platform: Platform, { record }: ManagedCampaign): Promise<void> {
  if (record.draft === null) return;
  const partnership = await platform.campaigns.findPartnership(record.partnershipUuid);
  if (!partnership || partnership.isDeleted) throw new OperatorError('the partnership is deleted');
  const { campaign } = record.draft;
  const faults = validateCampaign(campaign, await settingsOf(platform, partnership, campaign.type));
  if (faults.length > 0) throw new FaultyFileError('the next version', faults);
}
