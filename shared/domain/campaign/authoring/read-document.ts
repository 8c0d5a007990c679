import * as z from 'zod/mini';
import { maximumCharacters } from '../../../contracts/limits.ts';
import type { ManagedCampaign } from '../document/campaign.ts';
import { CampaignDocument } from '../document/campaign.ts';
import { type CampaignFault, type CampaignSettings, fault } from '../document/kinds/kind.ts';
import { isObject, type Json, placesOf } from '../document/tree.ts';
import { unknownTrigger } from './flow-faults.ts';
import { type ChangeContext, isReached } from './lifecycle.ts';
import { type NumberedDocument, numberParts } from './number-parts.ts';
import { type PartialDocument, readPartially } from './partial-document.ts';
import { unknownTier } from './registry-faults.ts';
import { type Edit, editable, findDraftScheduleFaults, findOwnershipFaults, findScheduleFaults } from './review.ts';
import { FaultyDocumentError, parseWith } from './schema-faults.ts';
import { validateCampaign } from './validate.ts';

/** An instant with any offset, converted to UTC. */
const instant = z.pipe(
  z.string().check(
    z.iso.datetime({
      offset: true,
      error: 'has to be an instant with its offset from UTC, such as 2026-11-20T09:30:00Z or 2026-11-20T09:30:00-05:00',
    }),
  ),
  z.transform((text: string) => new Date(text).toISOString()),
);
const icon = z
  .string()
  .check(z.regex(/^https:\/\/\S+\.(jpe?g|png|svg)$/i, 'has to be the https:// URL of a JPG, JPEG, PNG or SVG'));

/** A campaign file, after {@link numberParts} has given its parts ids and owners. */
const WrittenDocument = z.strictObject({
  ...CampaignDocument.shape,
  name: z.string().check(z.minLength(1), z.maxLength(maximumCharacters.text)),
  description: z._default(z.nullable(z.string().check(z.maxLength(maximumCharacters.description))), null),
  logo: z._default(z.nullable(icon), null),
  startsAt: instant,
  endsAt: z._default(z.nullable(instant), null),
});

/** A draft. Its parts are complete, but its own fields may still be missing or wrong. */
const DraftDocument = z.strictObject({
  ...WrittenDocument.shape,
  name: z._default(z.string().check(z.maxLength(maximumCharacters.text)), ''),
  logo: z._default(z.nullable(z.string().check(z.maxLength(maximumCharacters.description))), null),
  flows: z._default(WrittenDocument.shape.flows, []),
});

/** The fields that {@link ruleFaults} reads. */
const { type, startsAt, endsAt, flows, goals } = WrittenDocument.shape;
const RuledDocument = z.object({ type, startsAt, endsAt, flows, goals });
type RuledDocument = z.infer<typeof RuledDocument>;

/** The campaign and the partnership that a file is read for. */
export interface ReadingContext extends ChangeContext {
  /** Those settings of the partnership on which the rules depend. */
  readonly settings: CampaignSettings;
  /** The campaign that the file changes; null when the file makes a new campaign. */
  readonly campaign: ManagedCampaign | null;
}

/**
 * Reads a campaign file and gives its parts ids and owners. If the file has no start, the campaign keeps its start; a
 * new campaign starts with its last approval, and so does a campaign whose file has null as the start. The file may
 * refer to triggers and status tiers by name. The file may contain the id of the campaign, as an exported file does; the
 * id is ignored.
 *
 * @throws FaultyDocumentError with every fault of the schema, of the rules and of ownership
 */
export function readDocument(file: unknown, context: ReadingContext): Edit {
  const { document, nextPartId } = parseFile(file, WrittenDocument, context);
  const faults = [...ruleFaults(document, context), ...ownershipFaults(document, context)];
  if (faults.length > 0) throw new FaultyDocumentError('the campaign', faults);
  return { document, nextPartId };
}

/** A document that may be stored as a draft, and the faults that keep it from being approved. */
export interface ReadDraft extends Edit {
  readonly faults: readonly CampaignFault[];
}

/**
 * Reads a campaign file like {@link readDocument}, but for a draft: rules may be violated, and the name may be missing.
 * A new draft whose start lies in the past starts with its last approval.
 *
 * @throws FaultyDocumentError with every fault, when a part is incomplete, a name or id in the file is unknown, the file
 * changes a part of the other side, or it moves the start into the past
 */
export function readDraft(file: unknown, context: ReadingContext): ReadDraft {
  const { document: read, nextPartId } = parseFile(file, DraftDocument, context);
  const { campaign, now } = context;
  const isOver = campaign === null && isReached(read.startsAt, now);
  const document = isOver ? { ...read, startsAt: now.toISOString() } : read;
  const moved = findScheduleFaults(document, campaign, now).filter(({ pointer }) => pointer === '/startsAt');
  const forbidden = [...ownershipFaults(document, context), ...moved];
  if (forbidden.length > 0) throw new FaultyDocumentError('the campaign', forbidden);
  return { document, nextPartId, faults: findDraftFaults(document, context) };
}

/** Finds every fault that keeps a draft from being approved. */
export function findDraftFaults(
  document: CampaignDocument,
  { settings, campaign, now }: Pick<ReadingContext, 'settings' | 'campaign' | 'now'>,
): CampaignFault[] {
  return [
    ...findFieldFaults(document),
    ...validateCampaign(document, settings),
    ...findDraftScheduleFaults(document, campaign?.live ?? null, now),
  ];
}

/** Finds the faults of a draft's own fields, such as a missing name. */
export function findFieldFaults(document: CampaignDocument): CampaignFault[] {
  const read = parseWith(WrittenDocument, document);
  return 'faults' in read ? read.faults : [];
}

/** Gives the parts of a file ids and owners and parses it. @throws FaultyDocumentError with every fault */
function parseFile(
  file: unknown,
  schema: typeof WrittenDocument | typeof DraftDocument,
  context: ReadingContext,
): Edit {
  if (!isObject(file)) throw new FaultyDocumentError('the file', [fault('', 'invalid_type', 'has to be an object')]);
  const withTriggers = resolveTriggerNames(file, context.settings.triggers);
  const named = resolveTierNames(withTriggers.file, context.settings.tiers);
  const numbered = numberFile(named.file, context);
  const read = parseWith(schema, numbered.document);
  const unread = [
    ...('faults' in read ? read.faults : []),
    ...withTriggers.faults,
    ...named.faults,
    ...numbered.faults,
  ];
  if ('faults' in read || unread.length > 0) {
    throw new FaultyDocumentError('the file', [
      ...unread,
      ...faultsOfRest(numbered.document, unread, context),
      ...ownershipFaults(numbered.document, context).filter((one) => !isConsequence(one, unread)),
    ]);
  }
  return { document: read.parsed, nextPartId: numbered.nextPartId };
}

function ruleFaults(document: RuledDocument, { settings, campaign, now }: ReadingContext): CampaignFault[] {
  return [...validateCampaign(document, settings), ...findScheduleFaults(document, campaign, now)];
}

const ownershipFaults = (document: object, { campaign, organisationId }: ReadingContext): CampaignFault[] =>
  findOwnershipFaults(campaign && editable(campaign), document, organisationId);

/**
 * Whether a fault of ownership may exist only because of a known fault. That is so if the known fault concerns the same
 * part, something inside the part, or a flow or list around the part. An element with an unknown id counts as new, and
 * so does everything in it.
 */
function isConsequence({ pointer }: CampaignFault, known: readonly CampaignFault[]): boolean {
  const part = pointer.replace(/\/ownerId$/, '');
  return known.some((one) => {
    const place = one.code === 'unknown_id' ? one.pointer.replace(/\/id$/, '') : one.pointer;
    return isInside(part, place) || isInside(place, part);
  });
}

const isInside = (pointer: string, outer: string) => pointer === outer || pointer.startsWith(`${outer}/`);

/** Faults of names and ids. An element with such a fault can still be read. */
const readableFaults: ReadonlySet<string> = new Set(['unknown_id', 'unknown_trigger', 'unknown_tier']);

/** Applies the rules to the document without its faulty elements. Skips faults that known faults may have caused. */
function faultsOfRest(document: Json, known: readonly CampaignFault[], context: ReadingContext): CampaignFault[] {
  const pointers = new Set(known.map(({ pointer }) => pointer));
  const unreadable = known.filter(({ code }) => !readableFaults.has(code));
  const rest = readPartially(document, unreadable);
  const ruled = RuledDocument.safeParse({ ...rest.document, ...placeholdersFor(pointers, context) });
  if (!ruled.success) return [];
  return ruleFaults(ruled.data, context)
    .map((one) => ({ ...one, pointer: rest.toWritten(one.pointer) }))
    .filter((one) => !pointers.has(one.pointer) && !mayFollowFrom(pointers, one, rest));
}

/**
 * Valid values in place of faulty fields. If the type is faulty, flows and goals are emptied, because their rules
 * depend on the type.
 */
function placeholdersFor(faulty: ReadonlySet<string>, { now }: ReadingContext): Json {
  return {
    ...(faulty.has('/startsAt') && { startsAt: now.toISOString() }),
    ...(faulty.has('/endsAt') && { endsAt: null }),
    ...(faulty.has('/goals') && { goals: [] }),
    ...(faulty.has('/flows') && { flows: [] }),
    ...(faulty.has('/type') && { type: 'EARN', flows: [], goals: [] }),
  };
}

/** Whether a fault may exist only because a faulty element was left out. */
function mayFollowFrom(
  faulty: ReadonlySet<string>,
  { code, pointer }: CampaignFault,
  { isReduced }: PartialDocument,
): boolean {
  switch (code) {
    case 'end_before_start':
      return faulty.has('/startsAt');
    case 'unknown_trigger':
      return faulty.has(pointer.replace(/customTriggerId$/, 'name'));
    case 'unknown_tier':
      return faulty.has(pointer.replace(/statusTierIds(?=\/\d+$)/, 'statusTiers'));
    case 'no_flow':
      return faulty.has('/type') || isReduced(pointer);
    case 'no_action':
      return isReduced(pointer);
    case 'no_points':
      return isReduced(pointer.replace(/\/limits\/.*$/, '/actions'));
    default:
      return false;
  }
}

function numberFile({ id: _, ...file }: Json, { campaign, organisationId, now }: ReadingContext): NumberedDocument {
  const before = campaign && editable(campaign);
  const startsAtOfFile =
    file.startsAt === null ? startWhenApproved(campaign, now) : (file.startsAt ?? before?.startsAt);
  const nextPartId = campaign?.record.nextPartId ?? 1;
  const startsAt = startsAtOfFile ?? now.toISOString();
  return numberParts({ ...file, startsAt }, before && { ...before }, { organisationId, nextPartId });
}

/** A campaign whose start is reached before its last approval starts with the approval. */
function startWhenApproved(campaign: ManagedCampaign | null, now: Date): string | undefined {
  const before = campaign && editable(campaign);
  if (!campaign || !before) return undefined;
  const isFixed = campaign.live !== null && campaign.live.status !== 'SCHEDULED';
  return isFixed || isReached(before.startsAt, now) ? before.startsAt : undefined;
}

/** The id for a trigger or tier that was not found. No trigger and no tier has this id. */
const absentId = 0;

/**
 * Replaces names of triggers, as in `{ "type": "CUSTOM", "name": "signup_completed" }`, by ids. With names, one file
 * fits every partnership that has triggers of these names.
 */
function resolveTriggerNames(file: Json, triggers: CampaignSettings['triggers']) {
  if (!Array.isArray(file.flows)) return { file, faults: [] };
  const faults: CampaignFault[] = [];
  const resolved = file.flows.map((flow, position) => {
    const named = isObject(flow) && isObject(flow.trigger) ? nameIn(flow.trigger) : undefined;
    if (named === undefined) return flow;
    const { type: kind, name, ...rest } = flow.trigger;
    const found = triggers.find((one) => one.name === named);
    if (!found) faults.push(unknownTrigger(`/flows/${position}/trigger/name`, `“${named}”`, triggers));
    return { ...flow, trigger: { ...rest, type: kind, customTriggerId: found?.customTriggerId ?? absentId } };
  });
  return { file: { ...file, flows: resolved }, faults };
}

function nameIn({ type: kind, name, ...rest }: Json): string | undefined {
  const isNamed = Object.keys(rest).every((field) => field === 'amountField');
  return kind === 'CUSTOM' && typeof name === 'string' && isNamed ? name : undefined;
}

/**
 * Replaces names of status tiers, as in `"statusTiers": ["Gold"]`, by ids. With names, one file fits every program that
 * has tiers of these names.
 */
function resolveTierNames(file: Json, tiers: CampaignSettings['tiers']) {
  const faults: CampaignFault[] = [];
  const resolved = structuredClone(file);
  for (const { value, pointer } of placesOf(resolved)) {
    const names = tierNamesIn(value);
    if (!names) continue;
    const statusTierIds = names.map((named, position) => {
      const found = tiers.find(({ name }) => name === named);
      if (!found) faults.push(unknownTier(`${pointer}/statusTiers/${position}`, `“${named}”`, tiers));
      return found?.id ?? absentId;
    });
    Object.assign(value, { statusTierIds });
    Reflect.deleteProperty(value, 'statusTiers');
  }
  return { file: resolved, faults };
}

function tierNamesIn({ attribute, statusTiers, statusTierIds }: Json): string[] | undefined {
  if (attribute !== 'CUSTOMER_STATUS' || statusTierIds !== undefined || !Array.isArray(statusTiers)) return undefined;
  const names = statusTiers.filter((name) => typeof name === 'string');
  return names.length === statusTiers.length ? names : undefined;
}
