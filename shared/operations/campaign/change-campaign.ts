import { maximumPointsAdjustedAlone } from '../../contracts/limits.ts';
import { partnersOfPoints } from '../../domain/campaign/authoring/approvers.ts';
import { largestReward } from '../../domain/campaign/authoring/largest-reward.ts';
import type { ChangeContext, Outcome } from '../../domain/campaign/authoring/lifecycle.ts';
import * as lifecycle from '../../domain/campaign/authoring/lifecycle.ts';
import { findDraftFaults } from '../../domain/campaign/authoring/read-document.ts';
import { findUsedEntries } from '../../domain/campaign/authoring/registry-faults.ts';
import * as review from '../../domain/campaign/authoring/review.ts';
import { FaultyDocumentError } from '../../domain/campaign/authoring/schema-faults.ts';
import { documentOf, type ManagedCampaign } from '../../domain/campaign/document/campaign.ts';
import type { CampaignSettings } from '../../domain/campaign/document/kinds/kind.ts';
import { isSide, type Partnership } from '../../domain/partnership.ts';
import type { Registry } from '../../domain/registry/registry.ts';
import { type CampaignEntry, campaignEntryWrite } from '../../store/campaign/campaign-history.ts';
import { CampaignRecords, changeWrites, rescheduleWrite } from '../../store/campaign/campaign-records.ts';
import { Campaigns } from '../../store/campaign/campaigns.ts';
import { Partnerships, waiverCheck } from '../../store/campaign/partnerships.ts';
import type { Approval, CampaignVersion } from '../../store/ledger/manual-adjustments.ts';
import { approvalWrite, Registries } from '../../store/organisation/registries.ts';
import { SettingsStore } from '../../store/staff/settings.ts';
import type { Write } from '../../store/table/table-client.ts';
import { Triggers } from '../../store/trigger/triggers.ts';
import {
  CampaignRefusedError,
  ChangedMeanwhileError,
  NotASideError,
  NotFoundError,
  type Subject,
  subjectText,
  WrongStateError,
} from '../errors.ts';
import { approve, isApproved, type MoveDeps, movePointsStores, NothingToApproveError } from '../move-points.ts';
import type { Deps } from '../operation.ts';
import { authorChecks } from '../staff/author-checks.ts';
import { type AuditedChange, type AuditedDeps, type Author, type Confirmable, writeAudited } from '../write-audited.ts';

export const findCampaignStores = {
  campaignRecords: CampaignRecords,
  campaigns: Campaigns,
  partnerships: Partnerships,
  registries: Registries,
  triggers: Triggers,
};
export type FindCampaignDeps = Deps<typeof findCampaignStores>;

/** Finds a campaign of any organisation. Deleted campaigns are found too. @throws NotFoundError */
export async function findCampaign(id: number, { campaignRecords }: FindCampaignDeps): Promise<ManagedCampaign> {
  const campaign = await campaignRecords.find(id);
  if (!campaign) throw new NotFoundError(campaignSubject(id));
  return campaign;
}

/** The settings of a partnership, with the registries that they come from. */
interface LoadedSettings extends CampaignSettings {
  readonly registries: { readonly ofMerchant: Registry; readonly ofPartner: Registry };
}

/**
 * Loads what the rules for campaigns depend on: cashback, programs and triggers of the partnership, and the registries
 * of both sides.
 *
 * @param type the campaign's type, if it is known: only a TRANSFER names other programs
 */
export async function loadCampaignSettings(
  { uuid, allowsCashback, merchantId, partnerId }: Partnership,
  type: unknown,
  { triggers, partnerships, registries }: FindCampaignDeps,
): Promise<LoadedSettings> {
  const [ownTriggers, ofMerchant, ofPartner, programs] = await Promise.all([
    triggers.of(uuid),
    registries.find(merchantId),
    registries.find(partnerId),
    type === 'TRANSFER' ? partnerships.of('byMerchant', merchantId) : [],
  ]);
  const registriesOfSides = { ofMerchant, ofPartner };
  return {
    ...settingsOf({ allowsCashback, partnerId }, { triggers: ownTriggers, programs, ...registriesOfSides }),
    registries: registriesOfSides,
  };
}

/** What the settings of a partnership's campaigns consist of. `programs` are the partnerships of the merchant. */
interface SettingsParts {
  readonly triggers: CampaignSettings['triggers'];
  readonly programs: readonly Pick<Partnership, 'partnerId'>[];
  readonly ofMerchant: Pick<Registry, 'attributes'>;
  readonly ofPartner: Pick<Registry, 'tiers'>;
}

/** The settings of a partnership on which the rules for campaigns depend. */
export const settingsOf = (
  { allowsCashback, partnerId }: Pick<Partnership, 'allowsCashback' | 'partnerId'>,
  { triggers, programs, ofMerchant, ofPartner }: SettingsParts,
): CampaignSettings => ({
  allowsCashback,
  partnerId,
  programs: new Set([partnerId, ...programs.map((one) => one.partnerId)]),
  triggers,
  attributes: ofMerchant.attributes,
  tiers: ofPartner.tiers,
});

/** @throws NotASideError when the organisation is neither the merchant nor the partner */
export function requireSide(sides: Pick<Partnership, 'merchantId' | 'partnerId'>, organisationId: number): void {
  if (!isSide(organisationId, sides)) throw new NotASideError(organisationId);
}

export const campaignSubject = (id: number): Subject => ({ kind: 'campaign', id });

export type ChangeCampaignDeps = AuditedDeps & FindCampaignDeps;
export const approveCampaignStores = { settings: SettingsStore, ...movePointsStores };
export type ApproveCampaignDeps = ChangeCampaignDeps & MoveDeps & Deps<typeof approveCampaignStores>;

/** The organisation for which a caller acts. The name is for the audit trail. */
export interface ActingOrganisation {
  readonly id: number;
  readonly name?: string;
}

/** An act of one organisation on one campaign. `confirm` receives the campaign as it will be after the act. */
export interface CampaignAct extends Confirmable<ManagedCampaign> {
  readonly campaignId: number;
  readonly as: ActingOrganisation;
  /** The revision that the caller has seen. The act fails when the campaign has another revision. */
  readonly revision?: number | undefined;
}

/** A decision about a campaign, its name in the campaign's history, and verb and changed values for the audit trail. */
interface Change extends Pick<CampaignEntry, 'act' | 'reason'> {
  readonly done: string;
  readonly change?: AuditedChange['change'];
  readonly decide: (campaign: ManagedCampaign, act: ChangeContext) => Outcome;
  /** Whether the decision depends on the organisations that have to approve. */
  readonly dependsOnWaivers?: boolean;
  /**
   * Checks what the decision depends on. Returns conditions for the write of the decision: the write fails if anything
   * that was checked has changed meanwhile.
   */
  readonly prepare?: (campaign: ManagedCampaign) => Promise<readonly Write[]>;
}

const actOf =
  (
    { act, done }: Pick<Change, 'act' | 'done'>,
    decide: Change['decide'],
    more: Pick<Change, 'dependsOnWaivers'> = {},
  ) =>
  (wanted: CampaignAct, deps: ChangeCampaignDeps): Promise<ManagedCampaign> =>
    changeCampaign(wanted, { act, done, decide, ...more }, deps);

/** Stops a campaign from rewarding until the same organisation resumes it. */
export const pauseCampaign = actOf({ act: 'pause', done: 'paused' }, lifecycle.pause);

/** Lets a paused campaign reward again. */
export const resumeCampaign = actOf({ act: 'resume', done: 'resumed' }, lifecycle.resume);

/** Starts a scheduled campaign now. */
export const activateCampaign = actOf({ act: 'activate', done: 'activated' }, lifecycle.activate, {
  dependsOnWaivers: true,
});

/** Ends a campaign, for good. */
export const endCampaign = actOf({ act: 'end', done: 'ended' }, lifecycle.end);

/** Deletes a draft, or a campaign that has ended. */
export const deleteCampaign = actOf({ act: 'delete', done: 'deleted' }, lifecycle.remove);

/** Drops the next version of a campaign. The running version stays. */
export const discardNextVersion = actOf({ act: 'discard', done: 'discarded the next version of' }, review.discard);

/**
 * Asks the organisations that have to approve the next version for their approvals, without giving one.
 *
 * @throws FaultyDocumentError when the version violates a rule
 */
export const submitCampaign = (act: CampaignAct, deps: ChangeCampaignDeps): Promise<ManagedCampaign> =>
  changeCampaign(
    act,
    {
      act: 'submit',
      done: 'submitted',
      decide: review.submit,
      prepare: async (campaign) => {
        await requireSound(campaign, deps);
        return [];
      },
    },
    deps,
  );

/** Sends the version in review back to its authors. */
export const rejectCampaign = (act: CampaignAct & { readonly reason: string }, deps: ChangeCampaignDeps) =>
  changeCampaign(
    act,
    {
      act: 'reject',
      reason: act.reason,
      done: `rejected (${act.reason})`,
      decide: (campaign, parties) => review.reject(campaign, act.reason, parties),
    },
    deps,
  );

/**
 * Approves the next version as it is. The last missing approval puts it into effect.
 *
 * @throws FaultyDocumentError when the partnership, its triggers or a registry changed, and the version violates a rule
 * now
 */
export async function approveCampaign(act: CampaignAct, deps: ApproveCampaignDeps): Promise<ManagedCampaign> {
  const { author } = deps;
  let isSeconded = false;
  const { fourEyes: needsFourEyes } = await deps.settings.find(act.as.id);
  return changeCampaign(
    act,
    {
      act: 'approve',
      done: 'approved',
      dependsOnWaivers: true,
      prepare: async (campaign) => {
        const version = versionOf(campaign);
        isSeconded = author !== undefined && version !== undefined && (await isApproved(version, { ...deps, author }));
        return requireSound(campaign, deps);
      },
      decide: (campaign, context) => review.approve(campaign, { ...context, isSeconded, needsFourEyes }),
    },
    deps,
  );
}

/**
 * Approves that one other operator gives all approvals of the next version, although it may award much.
 *
 * @throws NothingToApproveError when the version may not award so much
 * @throws NotFoundError; CampaignRefusedError when there is no version to approve
 */
export async function approveAlone(
  campaignId: number,
  deps: ApproveCampaignDeps & { readonly author: Author },
): Promise<Approval> {
  const campaign = await findCampaign(campaignId, deps);
  const version = versionOf(campaign);
  const next = campaign.record.draft?.campaign;
  if (!version || !next) throw new CampaignRefusedError(`campaign ${campaignId} has no version to approve`);
  const most = largestReward(next);
  if (most <= maximumPointsAdjustedAlone) {
    throw new NothingToApproveError(`one operator may give all approvals: it awards at most ${most} points or cents`);
  }
  return approve(
    version,
    { points: 0, what: `puts version ${version.version} of campaign ${campaignId} into effect` },
    deps,
  );
}

/** The next version of a campaign, as the approval of another operator names it. */
function versionOf({ record: { id, draft } }: ManagedCampaign): CampaignVersion | undefined {
  return draft ? { campaignId: id, version: draft.campaign.version, document: documentOf(draft.campaign) } : undefined;
}

/**
 * Decides and writes a change of a campaign. A start or end that is due is written first, in a DynamoDB transaction of
 * its own. Otherwise an act could pause a campaign that has to end.
 *
 * @throws NotFoundError; CampaignRefusedError when a rule forbids the change
 * @throws ChangedMeanwhileError when another writer changed the revision, before or during the write
 */
export async function changeCampaign(
  { campaignId, as, revision, confirm }: CampaignAct,
  { act, reason, done, change, decide, prepare, dependsOnWaivers = false }: Change,
  deps: ChangeCampaignDeps,
): Promise<ManagedCampaign> {
  const found = await findCampaign(campaignId, deps);
  requireRevision(found, revision);
  const context = { now: deps.now(), nextUuid: deps.nextUuid };
  const due = lifecycle.advance(found, context.now);
  if (due) await deps.campaignRecords.write(found, due, context);

  const campaign = due ?? found;
  const waived = dependsOnWaivers ? await loadWaivers(campaign, deps) : [];
  const waivedBy = new Set(waived.map(({ partnerId }) => partnerId));
  const guards = (await prepare?.(campaign)) ?? [];
  const signer = { organisationId: as.id, now: context.now, ...(await personOf(deps)) };
  const decided = decide(campaign, { ...signer, waivedBy });
  if (decided.kind === 'refused') throw new CampaignRefusedError(decided.reason);
  const changed = lifecycle.sign(signer);
  const outcome = { ...decided, record: { ...decided.record, changed } };
  const entry = { ...changed, act, ...(reason !== undefined && { reason }), revision: outcome.record.revision };
  await confirm?.(outcome);
  await writeAudited(
    {
      what: `${done} campaign ${campaignId} as ${actingText(as)}`,
      ...(change && { change }),
      // A partner may withdraw its waiver meanwhile, so the write checks each waiver.
      writes: [
        ...changeWrites(campaign, outcome, context),
        campaignEntryWrite(campaignId, entry),
        ...waived.map(waiverCheck),
        ...guards,
        ...authorChecks(deps),
      ],
      conflict: () => new ChangedMeanwhileError(campaignSubject(campaignId)),
    },
    deps,
  );
  return outcome;
}

/** The person who acts, as signatures of campaigns name the person. */
export async function personOf({ author }: AuditedDeps): Promise<Pick<ChangeContext, 'operator' | 'staffId'>> {
  return { operator: await author?.operator(), staffId: author?.staff?.staffId };
}

/** Loads the partnerships whose partners waived their approval: the merchant may move the points of these partners. */
async function loadWaivers(
  campaign: ManagedCampaign,
  { partnerships }: Pick<FindCampaignDeps, 'partnerships'>,
): Promise<Partnership[]> {
  const { merchantId, partnershipUuid } = campaign.record;
  const [own, all] = await Promise.all([
    partnerships.find(partnershipUuid),
    otherPartnersOf(campaign).size > 0 ? partnerships.of('byMerchant', merchantId) : [],
  ]);
  return waiversAmong(campaign, own, all);
}

/** The partners whose points the versions of a campaign move, apart from the partner of its partnership. */
function otherPartnersOf({ record, live }: ManagedCampaign): Set<number> {
  const versions = [live, record.draft?.campaign ?? null].flatMap((version) => version ?? []);
  return new Set(versions.flatMap(partnersOfPoints).filter((id) => id !== record.partnerId));
}

/**
 * Finds the partnerships whose partners waived their approval of a campaign.
 *
 * @param own the partnership of the campaign
 * @param all the partnerships of its merchant
 */
export function waiversAmong(
  campaign: ManagedCampaign,
  own: Partnership | undefined,
  all: readonly Partnership[],
): Partnership[] {
  const others = otherPartnersOf(campaign);
  const concerned = [...(own ? [own] : []), ...all.filter(({ partnerId }) => others.has(partnerId))];
  const isWaived = ({ partnerApproval }: Partnership) => partnerApproval === 'not_needed';
  // A merchant may have several partnerships with one partner. The waiver counts only if the partner gave it in all of
  // them.
  const byPartner = Map.groupBy(concerned, ({ partnerId }) => partnerId);
  return [...byPartner.values()].filter((same) => same.every(isWaived)).flat();
}

/**
 * Starts or ends a campaign whose start or end is due. If neither is due, announces the campaign's schedule again: a
 * consumer then sets the reminders for start and end again, in case they were lost.
 */
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

/**
 * Checks the next version again: the partnership, its triggers and the registries may have changed since the version
 * was written.
 *
 * @returns one write for each registry that this version uses. The write counts the approval in the registry, and fails
 * if the registry changed meanwhile. So if an operator removes a registry entry at the same time, the removal
 * fails with a conflict and is decided again. The new decision takes this version into account.
 */
async function requireSound(managed: ManagedCampaign, deps: FindCampaignDeps): Promise<Write[]> {
  const { record } = managed;
  if (record.draft === null) return [];
  const subject: Subject = { kind: 'partnership', id: record.partnershipUuid };
  const partnership = await deps.partnerships.find(record.partnershipUuid);
  if (!partnership) throw new NotFoundError(subject);
  if (partnership.isDeleted) throw new WrongStateError(subject, 'deleted');
  const { campaign } = record.draft;
  const settings = await loadCampaignSettings(partnership, campaign.type, deps);
  const faults = findDraftFaults(documentOf(campaign), { settings, campaign: managed, now: deps.now() });
  if (faults.length > 0) throw new FaultyDocumentError('the next version', faults);
  const { ofMerchant, ofPartner } = settings.registries;
  const used = findUsedEntries(campaign.flows, settings);
  return [
    ...(used.attributes.size > 0 ? [approvalWrite(ofMerchant)] : []),
    ...(used.tierIds.size > 0 ? [approvalWrite(ofPartner)] : []),
  ];
}
