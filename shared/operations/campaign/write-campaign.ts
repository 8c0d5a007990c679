import { type Difference, findDifferences } from '../../domain/campaign/authoring/difference.ts';
import { draftCampaign, duplicate } from '../../domain/campaign/authoring/new-campaign.ts';
import { readDocument } from '../../domain/campaign/authoring/read-document.ts';
import { type Edit, edit, editable } from '../../domain/campaign/authoring/review.ts';
import type { Campaign, ManagedCampaign } from '../../domain/campaign/document/campaign.ts';
import { documentOf } from '../../domain/campaign/document/campaign.ts';
import { isObject } from '../../domain/campaign/document/tree.ts';
import type { Partnership } from '../../domain/partnership.ts';
import { newCampaignWrite } from '../../store/campaign/campaign-records.ts';
import { Sequences } from '../../store/organisation/sequences.ts';
import { AlreadyExistsError, NotFoundError } from '../errors.ts';
import { type AuditedDeps, writeAudited } from '../write-audited.ts';
import {
  type ActingOrganisation,
  actingText,
  approveCampaign,
  type CampaignAct,
  campaignSubject,
  changeCampaign,
  type FindCampaignDeps,
  findCampaign,
  findCampaignStores,
  loadCampaignSettings,
  requireRevision,
  requireSide,
} from './change-campaign.ts';

export const writeCampaignStores = { ...findCampaignStores, sequences: Sequences };
export type WriteCampaignDeps = AuditedDeps<typeof writeCampaignStores>;

/** A campaign after a document was applied to it. */
export interface AppliedDocument {
  readonly outcome: 'created' | 'changed' | 'unchanged';
  readonly campaign: ManagedCampaign;
  readonly differences: readonly Difference[];
}

/** The partnership of a new campaign, and the organisation that creates it. */
export interface CampaignOrigin {
  readonly partnership: Partnership;
  readonly as: ActingOrganisation;
}

/**
 * Creates a campaign from a document, as a draft.
 *
 * @param document the JSON value that a person wrote
 * @throws NotASideError; FaultyDocumentError with every fault
 */
export async function createCampaign(
  document: unknown,
  { partnership, as }: CampaignOrigin,
  deps: WriteCampaignDeps,
): Promise<AppliedDocument> {
  requireSide(partnership, as.id);
  const now = deps.now();
  const organisationId = as.id;
  const settings = await loadCampaignSettings(partnership, typeIn(document), deps);
  const written = readDocument(document, { campaign: null, settings, organisationId, now });
  const id = await deps.sequences.lease('campaign', 1);
  const campaign = draftCampaign(written, { id, partnership, organisationId, now });
  await writeDraft(campaign, `created campaign ${id} as ${actingText(as)}`, deps);
  return { outcome: 'created', campaign, differences: findDifferences({}, written.document) };
}

/**
 * Changes a campaign to match a document. Changes the draft; without a draft, begins the next version of the running
 * campaign.
 *
 * @throws NotFoundError, NotASideError, ChangedMeanwhileError; FaultyDocumentError with every fault
 */
export async function editCampaign(
  document: unknown,
  act: CampaignAct,
  deps: WriteCampaignDeps,
): Promise<AppliedDocument> {
  const { campaign: before, written, differences } = await compare(document, act, deps);
  if (differences.length === 0) return { outcome: 'unchanged', campaign: before, differences };
  const campaign = await changeCampaign(
    { ...act, revision: before.record.revision },
    { done: 'changed', decide: (found, parties) => edit(found, written, parties) },
    deps,
  );
  return { outcome: 'changed', campaign, differences };
}

/** Returns the differences between a document and the editable version of a campaign. @throws as `editCampaign` */
export async function compareCampaign(
  document: unknown,
  act: CampaignAct,
  deps: WriteCampaignDeps,
): Promise<readonly Difference[]> {
  return (await compare(document, act, deps)).differences;
}

interface Comparison {
  readonly campaign: ManagedCampaign;
  readonly written: Edit;
  readonly differences: readonly Difference[];
}

async function compare(
  document: unknown,
  { campaignId, as, revision }: CampaignAct,
  deps: FindCampaignDeps,
): Promise<Comparison> {
  const campaign = await findCampaign(campaignId, deps);
  requireSide(campaign.record, as.id);
  requireRevision(campaign, revision);
  const partnership = await deps.campaigns.findPartnership(campaign.record.partnershipUuid);
  const before = editable(campaign);
  if (!partnership || !before) {
    throw new NotFoundError({ kind: 'document', id: campaignId }, { within: campaignSubject(campaignId) });
  }
  const settings = await loadCampaignSettings(partnership, typeIn(document), deps);
  const written = readDocument(document, { campaign, settings, organisationId: as.id, now: deps.now() });
  return { campaign, written, differences: findDifferences(documentOf(before), written.document) };
}

const typeIn = (document: unknown) => (isObject(document) ? document.type : undefined);

/**
 * Creates and approves a campaign of an organisation that owns every part of the campaign. The campaign runs from now
 * on, unless the document contains a start.
 *
 * @throws Error when another organisation has to approve the campaign too
 */
export async function launchCampaign(
  document: unknown,
  origin: CampaignOrigin,
  deps: WriteCampaignDeps,
): Promise<Campaign> {
  const { campaign } = await createCampaign(document, origin, deps);
  const { id } = campaign.record;
  const { live } = await approveCampaign({ campaignId: id, as: origin.as }, deps);
  if (!live) throw new Error(`campaign ${id} waits for the approval of another organisation`);
  return live;
}

/** Copies a campaign as a draft of the same partnership. @throws NotFoundError, NotASideError */
export async function duplicateCampaign(
  { campaignId, as }: Pick<CampaignAct, 'campaignId' | 'as'>,
  deps: WriteCampaignDeps,
): Promise<ManagedCampaign> {
  const original = await findCampaign(campaignId, deps);
  const { merchantId, partnerId, partnershipUuid: uuid } = original.record;
  requireSide(original.record, as.id);
  const partnership = { uuid, merchantId, partnerId };
  const id = await deps.sequences.lease('campaign', 1);
  const copy = duplicate(original, { id, partnership, organisationId: as.id, now: deps.now() });
  if (!copy) throw new NotFoundError({ kind: 'document', id: campaignId }, { within: campaignSubject(campaignId) });
  await writeDraft(copy, `duplicated campaign ${campaignId} as ${actingText(as)}: campaign ${id}`, deps);
  return copy;
}

/** Writes a new campaign with its row in the audit trail. */
export async function writeDraft(campaign: ManagedCampaign, what: string, deps: AuditedDeps): Promise<void> {
  await writeAudited(
    {
      what,
      writes: [newCampaignWrite(campaign)],
      conflict: () => new AlreadyExistsError(campaignSubject(campaign.record.id)),
    },
    deps,
  );
}
