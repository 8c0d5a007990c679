import { maximumCharacters } from '../../contracts/limits.ts';
import { type Difference, findDifferences } from '../../domain/campaign/authoring/difference.ts';
import { draftCampaign, duplicate } from '../../domain/campaign/authoring/new-campaign.ts';
import { readDocument, readDraft } from '../../domain/campaign/authoring/read-document.ts';
import { type Edit, edit, editable } from '../../domain/campaign/authoring/review.ts';
import type { Campaign, ManagedCampaign } from '../../domain/campaign/document/campaign.ts';
import { documentOf, statusOf } from '../../domain/campaign/document/campaign.ts';
import { isObject } from '../../domain/campaign/document/tree.ts';
import type { Partnership } from '../../domain/partnership.ts';
import { campaignEntryWrite } from '../../store/campaign/campaign-history.ts';
import { appliedWrite, newCampaignWrite, requestedWrite } from '../../store/campaign/campaign-records.ts';
import { Sequences } from '../../store/organisation/sequences.ts';
import type { Write } from '../../store/table/table-client.ts';
import { AlreadyExistsError, AmbiguousNameError, NotFoundError, WrongStateError } from '../errors.ts';
import type { PlannedRow } from '../import-rows.ts';
import { decideAndWrite } from '../operation.ts';
import { authorChecks } from '../staff/author-checks.ts';
import { type AuditedChange, type AuditedDeps, writeAudited } from '../write-audited.ts';
import {
  type ActingOrganisation,
  type ApproveCampaignDeps,
  actingText,
  approveCampaign,
  type CampaignAct,
  campaignSubject,
  changeCampaign,
  type FindCampaignDeps,
  findCampaign,
  findCampaignStores,
  loadCampaignSettings,
  personOf,
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

/** Identifies a request to create a campaign, so that its repetition creates no second one. */
export interface CreationRequest {
  /** A UUID, unique within the organisation. */
  readonly requestId?: string | undefined;
}

/** The partnership of a new campaign, and the organisation that creates it. */
export interface CampaignOrigin extends CreationRequest {
  readonly partnership: Partnership;
  readonly as: ActingOrganisation;
}

/**
 * Creates a campaign from a document, as a draft.
 *
 * @param document the JSON value that a person wrote
 * @throws NotASideError; FaultyDocumentError with every fault
 */
export function createCampaign(
  document: unknown,
  origin: CampaignOrigin,
  deps: WriteCampaignDeps,
): Promise<AppliedDocument> {
  return createWith(document, origin, {}, deps);
}

/**
 * Creates a campaign from a document that may have faults, as a draft.
 *
 * @throws NotASideError; WrongStateError when the partnership is deleted; FaultyDocumentError when the document cannot
 * be stored
 */
export function createDraft(
  document: unknown,
  origin: CampaignOrigin,
  deps: WriteCampaignDeps,
): Promise<AppliedDocument> {
  return createWith(document, origin, { read: readDraft }, deps);
}

/** How a document is read: as a file without faults, or as a draft. */
type Reader = typeof readDocument;

interface Creation {
  readonly read?: Reader;
  readonly extraWrites?: (campaign: ManagedCampaign) => readonly Write[];
}

async function createWith(
  document: unknown,
  origin: CampaignOrigin,
  { read = readDocument, extraWrites = () => [] }: Creation,
  deps: WriteCampaignDeps,
): Promise<AppliedDocument> {
  const { partnership, as, requestId } = origin;
  const written = await readNew(document, origin, read, deps);
  const id = await deps.sequences.lease('campaign', 1);
  const context = { id, partnership, organisationId: as.id, now: deps.now(), ...(await personOf(deps)) };
  const campaign = draftCampaign(written, context);
  const what = `created campaign ${id} as ${actingText(as)}`;
  await writeDraft(campaign, { what, requestId, extraWrites: extraWrites(campaign) }, deps);
  return { outcome: 'created', campaign, differences: findDifferences({}, written.document) };
}

/** Reads the document of a new campaign. @throws NotASideError; FaultyDocumentError with every fault */
async function readNew(
  document: unknown,
  { partnership, as }: CampaignOrigin,
  read: Reader,
  deps: WriteCampaignDeps,
): Promise<Edit> {
  requireSide(partnership, as.id);
  if (partnership.isDeleted) throw new WrongStateError({ kind: 'partnership', id: partnership.uuid }, 'deleted');
  const settings = await loadCampaignSettings(partnership, typeIn(document), deps);
  return read(document, { campaign: null, settings, organisationId: as.id, now: deps.now() });
}

/**
 * Finds the partnership's campaign by the name in the document, and changes the campaign to match the document. If
 * there is no such campaign, creates it. A repetition changes nothing. When two runs start at the same time, one of
 * them creates the campaign.
 *
 * @throws AmbiguousNameError when several campaigns that have not ended have the name
 * @throws as `createCampaign` and `editCampaign`
 */
export function applyCampaign(
  document: unknown,
  origin: CampaignOrigin & Pick<CampaignAct, 'revision'>,
  deps: WriteCampaignDeps,
): Promise<AppliedDocument> {
  const { as, revision } = origin;
  return decideAndWrite(
    {
      subject: 'the campaign of this name',
      load: () => findNamed(document, origin, deps),
      write: ({ campaignId, name, replaced }) =>
        campaignId === undefined
          ? createWith(document, origin, { extraWrites: ({ record }) => appliedWrites(record, name, replaced) }, deps)
          : editCampaign(document, { campaignId, as, revision }, deps),
      // Only a lost race to create is repeated. After an edit by another operator, a repetition would overwrite that
      // edit without notice.
      conflicts: [AlreadyExistsError],
    },
    deps,
  );
}

const appliedWrites = (record: ManagedCampaign['record'], name: string | undefined, replaced: number | undefined) =>
  name === undefined ? [] : [appliedWrite(record, name, replaced)];

/**
 * Checks a document that {@link applyCampaign} would apply, and returns what it would do.
 *
 * @throws as `applyCampaign`
 */
export async function planCampaign(
  document: unknown,
  origin: CampaignOrigin,
  deps: WriteCampaignDeps,
): Promise<PlannedRow> {
  const write = () => applyCampaign(document, origin, deps);
  const { campaignId } = await findNamed(document, origin, deps);
  if (campaignId === undefined) {
    await readNew(document, origin, readDocument, deps);
    return { outcome: 'created', write };
  }
  const differences = await compareCampaign(document, { campaignId, as: origin.as }, deps);
  return { outcome: differences.length > 0 ? 'changed' : 'unchanged', write };
}

/**
 * The campaign that a name leads to; `campaignId` is undefined if the campaign has to be created. `replaced`: the
 * campaign that an earlier run recorded for the name; a new campaign takes its place.
 */
interface NamedCampaign {
  readonly name: string | undefined;
  readonly campaignId: number | undefined;
  readonly replaced: number | undefined;
}

async function findNamed(
  document: unknown,
  { partnership: { uuid, merchantId } }: CampaignOrigin,
  { campaigns, campaignRecords }: WriteCampaignDeps,
): Promise<NamedCampaign> {
  const name = isObject(document) && typeof document.name === 'string' ? document.name : undefined;
  if (name === undefined) return { name, campaignId: undefined, replaced: undefined };
  const replaced = await campaignRecords.findApplied(uuid, name);
  const [own, drafts] = await Promise.all([
    campaigns.partnership(uuid),
    campaignRecords.draftsOf('byMerchant', merchantId),
  ]);
  const ids = new Set([
    ...(replaced === undefined ? [] : [replaced]),
    ...(own?.campaigns ?? []).map(({ campaign }) => campaign.id),
    ...drafts.filter(({ partnershipUuid }) => partnershipUuid === uuid).map(({ id }) => id),
  ]);
  const found = await Promise.all([...ids].map((id) => campaignRecords.find(id)));
  const named = found.flatMap((campaign) =>
    campaign && isCurrent(campaign) && isNamed(campaign, name) ? [campaign] : [],
  );
  const [first, ...others] = named.map(({ record }) => record.id);
  if (first !== undefined && others.length > 0 && !named.some(({ record }) => record.id === replaced)) {
    throw new AmbiguousNameError({ kind: 'campaign', id: name }, [first, ...others]);
  }
  return { name, campaignId: others.length > 0 ? replaced : first, replaced };
}

const isCurrent = (campaign: ManagedCampaign) => !campaign.record.isDeleted && statusOf(campaign) !== 'ENDED';

const isNamed = ({ record, live }: ManagedCampaign, name: string) =>
  live?.name === name || record.draft?.campaign.name === name;

/**
 * Changes a campaign to match a document. Changes the draft; without a draft, begins the next version of the running
 * campaign.
 *
 * @throws NotFoundError, NotASideError, WrongStateError, ChangedMeanwhileError; FaultyDocumentError with every fault
 */
export function editCampaign(document: unknown, act: CampaignAct, deps: WriteCampaignDeps): Promise<AppliedDocument> {
  return editWith(document, act, readDocument, deps);
}

/**
 * Changes the draft of a campaign to match a document that may have faults. Without a draft, begins the next version of
 * the running campaign. The approvals of the draft are gone afterwards.
 *
 * @throws as `editCampaign`; FaultyDocumentError only when the document cannot be stored
 */
export function saveDraft(document: unknown, act: CampaignAct, deps: WriteCampaignDeps): Promise<AppliedDocument> {
  return editWith(document, act, readDraft, deps);
}

async function editWith(
  document: unknown,
  act: CampaignAct,
  read: Reader,
  deps: WriteCampaignDeps,
): Promise<AppliedDocument> {
  const { campaign: before, written, differences } = await compare(document, act, read, deps);
  if (differences.length === 0) return { outcome: 'unchanged', campaign: before, differences };
  const campaign = await changeCampaign(
    { ...act, revision: before.record.revision },
    {
      act: 'edit',
      done: 'changed',
      change: changedValues(differences),
      decide: (found, parties) => edit(found, written, parties),
    },
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
  return (await compare(document, act, readDocument, deps)).differences;
}

/** The changed values by their pointers, for the audit trail; absent when they are too many for one entry. */
function changedValues(differences: readonly Difference[]): AuditedChange['change'] {
  const valuesOf = (side: 'old' | 'new') =>
    Object.fromEntries(differences.map((one) => [one.pointer, one[side] ?? null]));
  const change = { before: valuesOf('old'), after: valuesOf('new') };
  return JSON.stringify(change).length > maximumCharacters.auditedChange ? undefined : change;
}

interface Comparison {
  readonly campaign: ManagedCampaign;
  readonly written: Edit;
  readonly differences: readonly Difference[];
}

async function compare(
  document: unknown,
  { campaignId, as, revision }: CampaignAct,
  read: Reader,
  deps: FindCampaignDeps,
): Promise<Comparison> {
  const campaign = await findCampaign(campaignId, deps);
  requireSide(campaign.record, as.id);
  if (campaign.record.isDeleted) throw new WrongStateError(campaignSubject(campaignId), 'deleted');
  requireRevision(campaign, revision);
  const partnership = await deps.partnerships.find(campaign.record.partnershipUuid);
  const before = editable(campaign);
  if (!partnership || !before) {
    throw new NotFoundError({ kind: 'document', id: campaignId }, { within: campaignSubject(campaignId) });
  }
  if (partnership.isDeleted) throw new WrongStateError({ kind: 'partnership', id: partnership.uuid }, 'deleted');
  const settings = await loadCampaignSettings(partnership, typeIn(document), deps);
  const written = read(document, { campaign, settings, organisationId: as.id, now: deps.now() });
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
  deps: WriteCampaignDeps & ApproveCampaignDeps,
): Promise<Campaign> {
  const { campaign } = await createCampaign(document, origin, deps);
  const { id } = campaign.record;
  const { live } = await approveCampaign({ campaignId: id, as: origin.as }, deps);
  if (!live) throw new Error(`campaign ${id} waits for the approval of another organisation`);
  return live;
}

/** Copies a campaign as a draft of the same partnership. @throws NotFoundError, NotASideError */
export async function duplicateCampaign(
  { campaignId, as, requestId }: Pick<CampaignAct, 'campaignId' | 'as'> & CreationRequest,
  deps: WriteCampaignDeps,
): Promise<ManagedCampaign> {
  const original = await findCampaign(campaignId, deps);
  const { merchantId, partnerId, partnershipUuid: uuid } = original.record;
  requireSide(original.record, as.id);
  const partnership = { uuid, merchantId, partnerId };
  const id = await deps.sequences.lease('campaign', 1);
  const context = { id, partnership, organisationId: as.id, now: deps.now(), ...(await personOf(deps)) };
  const copy = duplicate(original, context);
  if (!copy) throw new NotFoundError({ kind: 'document', id: campaignId }, { within: campaignSubject(campaignId) });
  const what = `duplicated campaign ${campaignId} as ${actingText(as)}: campaign ${id}`;
  await writeDraft(copy, { what, requestId }, deps);
  return copy;
}

interface NewDraft extends CreationRequest {
  /** One sentence for the audit trail. */
  readonly what: string;
  readonly extraWrites?: readonly Write[];
}

/** Writes a new campaign with its row in the audit trail. @throws AlreadyExistsError when the request is repeated */
export async function writeDraft(
  campaign: ManagedCampaign,
  { what, requestId, extraWrites = [] }: NewDraft,
  deps: AuditedDeps,
): Promise<void> {
  const { id, revision, changed } = campaign.record;
  const first = changed ? [campaignEntryWrite(id, { ...changed, act: 'create', revision })] : [];
  const requested = requestId === undefined ? [] : [requestedWrite(campaign.record, requestId)];
  await writeAudited(
    {
      what,
      writes: [newCampaignWrite(campaign), ...first, ...requested, ...extraWrites, ...authorChecks(deps)],
      conflict: () => new AlreadyExistsError(campaignSubject(id)),
    },
    deps,
  );
}

/**
 * The document of a campaign as `campaign apply` takes it: its next version, or else the running version. Triggers are
 * written by name, so the document fits another partnership with triggers of these names.
 *
 * @throws NotFoundError when the campaign has no document
 */
export async function exportDocument(campaign: ManagedCampaign, { triggers }: FindCampaignDeps) {
  const { id, partnershipUuid } = campaign.record;
  const shown = editable(campaign) ?? campaign.live;
  if (!shown) throw new NotFoundError({ kind: 'document', id }, { within: campaignSubject(id) });
  const names = new Map(
    (await triggers.of(partnershipUuid)).map(({ customTriggerId, name }) => [customTriggerId, name]),
  );
  const { flows, ...document } = documentOf(shown);
  const named = flows.map((flow) => {
    const { trigger } = flow;
    const name = trigger.type === 'CUSTOM' ? names.get(trigger.customTriggerId) : undefined;
    return name === undefined ? flow : { ...flow, trigger: { type: trigger.type, name } };
  });
  return { id, ...document, flows: named };
}
