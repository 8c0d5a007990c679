import * as lifecycle from '../../domain/campaign/authoring/lifecycle.ts';
import type { Act, Outcome } from '../../domain/campaign/authoring/outcome.ts';
import * as review from '../../domain/campaign/authoring/review.ts';
import { FaultyDocumentError } from '../../domain/campaign/authoring/schema-faults.ts';
import { validateCampaign } from '../../domain/campaign/authoring/validate.ts';
import type { ManagedCampaign } from '../../domain/campaign/document/record.ts';
import { changeWrites, rescheduleWrite } from '../../store/campaign/campaign-records.ts';
import {
  CampaignRefusedError,
  ChangedMeanwhileError,
  NotFoundError,
  type Subject,
  subjectText,
  WrongStateError,
} from '../errors.ts';
import { type AuditedDeps, type Confirmable, writeAudited } from '../write-audited.ts';
import { campaignSubject, type FindCampaignDeps, findCampaign, loadCampaignSettings } from './find-campaign.ts';

export type ChangeCampaignDeps = AuditedDeps & FindCampaignDeps;

/** The organisation for which a caller acts. The name is for the audit trail. */
export interface ActingOrganisation {
  readonly id: number;
  readonly name?: string;
}

/** An act of one organisation on one campaign. `confirm` receives the campaign as it is going to be. */
export interface CampaignAct extends Confirmable<ManagedCampaign> {
  readonly campaignId: number;
  readonly as: ActingOrganisation;
  /** The revision that the caller has seen. The act fails when the campaign has another one. */
  readonly revision?: number | undefined;
}

/** A decision about a campaign, and the verb for it in the audit trail. */
interface Change {
  readonly done: string;
  readonly decide: (campaign: ManagedCampaign, act: Act) => Outcome | Promise<Outcome>;
}

const actOf =
  (done: string, decide: Change['decide']) =>
  (act: CampaignAct, deps: ChangeCampaignDeps): Promise<ManagedCampaign> =>
    changeCampaign(act, { done, decide }, deps);

/** Stops a campaign from rewarding until the same organisation resumes it. */
export const pauseCampaign = actOf('paused', lifecycle.pause);

/** Lets a paused campaign reward again. */
export const resumeCampaign = actOf('resumed', lifecycle.resume);

/** Starts a scheduled campaign now. */
export const activateCampaign = actOf('activated', lifecycle.activate);

/** Ends a campaign, for good. */
export const endCampaign = actOf('ended', lifecycle.end);

/** Deletes a draft, or a campaign that has ended. */
export const deleteCampaign = actOf('deleted', lifecycle.remove);

/** Drops the next version of a campaign. The running version stays. */
export const discardNextVersion = actOf('discarded the next version of', review.discard);

/** Sends the version in review back to its authors. */
export const rejectCampaign = (act: CampaignAct & { readonly reason: string }, deps: ChangeCampaignDeps) =>
  changeCampaign(
    act,
    {
      done: `rejected (${act.reason})`,
      decide: (campaign, parties) => review.reject(campaign, act.reason, parties),
    },
    deps,
  );

/**
 * Approves the next version as it is. The last missing approval puts it into effect.
 *
 * @throws FaultyDocumentError when the partnership or its triggers changed, so that the version breaks rules now
 */
export const approveCampaign = (act: CampaignAct, deps: ChangeCampaignDeps) =>
  changeCampaign(
    act,
    {
      done: 'approved',
      decide: async (campaign, parties) => {
        await requireSound(campaign, deps);
        return review.approve(campaign, parties);
      },
    },
    deps,
  );

/**
 * Decides and writes a change of a campaign. What the schedule demands by now is written first, in a
 * transaction of its own: otherwise an act could pause a campaign that has to end.
 *
 * @throws NotFoundError; CampaignRefusedError when a rule forbids the change
 * @throws ChangedMeanwhileError when the revision is another one, before or while it is written
 */
export async function changeCampaign(
  { campaignId, as, revision, confirm }: CampaignAct,
  { done, decide }: Change,
  deps: ChangeCampaignDeps,
): Promise<ManagedCampaign> {
  const found = await findCampaign(campaignId, deps);
  requireRevision(found, revision);
  const context = { now: deps.now(), nextUuid: deps.nextUuid };
  const due = lifecycle.advance(found, context.now);
  if (due) await deps.campaignRecords.write(found, due, context);

  const campaign = due ?? found;
  const outcome = await decide(campaign, { organisationId: as.id, now: context.now });
  if (outcome.kind === 'refused') throw new CampaignRefusedError(outcome.reason);
  await confirm?.(outcome);
  await writeAudited(
    {
      what: `${done} campaign ${campaignId} as ${actingText(as)}`,
      writes: changeWrites(campaign, outcome, context),
      conflict: () => new ChangedMeanwhileError(campaignSubject(campaignId)),
    },
    deps,
  );
  return outcome;
}

/** Does what the schedule demands by now, and sets the clock again: for a schedule that was lost. */
export async function catchUpCampaign(campaignId: number, deps: ChangeCampaignDeps): Promise<ManagedCampaign> {
  const campaign = await findCampaign(campaignId, deps);
  const context = { now: deps.now(), nextUuid: deps.nextUuid };
  const change = lifecycle.advance(campaign, context.now);
  await writeAudited(
    {
      what: `advanced campaign ${campaignId} by the clock`,
      writes: change ? changeWrites(campaign, change, context) : [rescheduleWrite(campaignId, context)],
      conflict: () => new ChangedMeanwhileError(campaignSubject(campaignId)),
    },
    deps,
  );
  return change ?? campaign;
}

/** @throws ChangedMeanwhileError when the campaign is not at the revision that the caller has seen */
export function requireRevision({ record }: ManagedCampaign, revision: number | undefined): void {
  if (revision === undefined || revision === record.revision) return;
  throw new ChangedMeanwhileError(campaignSubject(record.id));
}

/** `organisation 1 (Corner Coffee)` */
export const actingText = (as: ActingOrganisation) => subjectText(actingSubject(as));

export const actingSubject = ({ id, name }: ActingOrganisation): Subject => ({
  kind: 'organisation',
  id,
  ...(name !== undefined && { name }),
});

/** The partnership and its triggers may have changed since the version was written. */
async function requireSound({ record }: ManagedCampaign, deps: FindCampaignDeps): Promise<void> {
  if (record.draft === null) return;
  const subject: Subject = { kind: 'partnership', id: record.partnershipUuid };
  const partnership = await deps.campaigns.findPartnership(record.partnershipUuid);
  if (!partnership) throw new NotFoundError(subject);
  if (partnership.isDeleted) throw new WrongStateError(subject, 'deleted');
  const { campaign } = record.draft;
  const faults = validateCampaign(campaign, await loadCampaignSettings(partnership, campaign.type, deps));
  if (faults.length > 0) throw new FaultyDocumentError('the next version', faults);
}
