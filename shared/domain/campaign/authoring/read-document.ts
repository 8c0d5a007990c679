import * as z from 'zod/mini';
import { maximumBytes, maximumCharacters } from '../../../contracts/limits.ts';
import { byteLength } from '../../byte-length.ts';
import type { ManagedCampaign } from '../document/campaign.ts';
import { CampaignDocument } from '../document/campaign.ts';
import { type CampaignFault, type CampaignSettings, fault } from '../document/kinds/kind.ts';
import { isObject, type Json, placesOf } from '../document/tree.ts';
import { partnersOfPoints } from './approvers.ts';
import { unknownTrigger } from './flow-faults.ts';
import { type ChangeContext, isReached } from './lifecycle.ts';
import { type NumberedDocument, numberParts } from './number-parts.ts';
import { type PartialDocument, readPartially } from './partial-document.ts';
import { unknownTier } from './registry-faults.ts';
import {
  type CampaignBefore,
  type Edit,
  editable,
  findDraftScheduleFaults,
  findOwnershipFaults,
  findScheduleFaults,
} from './review.ts';
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

/** Everything that the faults of a file depend on. */
export interface FaultContext {
  /** The organisation that writes the file. */
  readonly organisationId: number;
  readonly now: Date;
  /** Those settings of the partnership on which the rules depend. */
  readonly settings: CampaignSettings;
  /** The campaign that the file changes; null when the file makes a new campaign. */
  readonly before: CampaignBefore | null;
}

/** The campaign and the partnership that a file is read for. */
export interface ReadingContext extends ChangeContext {
  /** Those settings of the partnership on which the rules depend. */
  readonly settings: CampaignSettings;
  /** The campaign that the file changes; null when the file makes a new campaign. */
  readonly campaign: ManagedCampaign | null;
}

/** A file that was read, or its faults. The subject is what the faults are about: the file, or the campaign in it. */
export type ReadFile =
  | { readonly edit: Edit }
  | { readonly subject: 'the file' | 'the campaign'; readonly faults: readonly CampaignFault[] };

/**
 * Reads a campaign file and gives its parts ids and owners. If the file has no start, the campaign keeps its start; a
 * new campaign starts with its last approval, and so does a campaign whose file has null as the start. The file may
 * refer to triggers and status tiers by name. The file may contain the id of the campaign, as an exported file does; the
 * id is ignored.
 *
 * @throws FaultyDocumentError with every fault of the schema, of the rules and of ownership
 */
export function readDocument(file: unknown, { campaign, ...context }: ReadingContext): Edit {
  const read = readFile(file, { ...context, before: campaign && beforeEdit(campaign) });
  if ('faults' in read) throw new FaultyDocumentError(read.subject, read.faults);
  return read.edit;
}

/** A campaign as the edit of its next version finds it; null if it has no document. */
export function beforeEdit(campaign: ManagedCampaign): CampaignBefore | null {
  const document = editable(campaign);
  return document && { document, live: campaign.live, nextPartId: campaign.record.nextPartId };
}

/** Returns every fault of a file, or an empty list: faults of the schema, of the rules and of ownership. */
export function campaignFaults(file: unknown, context: FaultContext): readonly CampaignFault[] {
  const read = readFile(file, context);
  return 'faults' in read ? read.faults : [];
}

/** Reads a campaign file as {@link readDocument} does, and returns its faults. */
export function readFile(file: unknown, context: FaultContext): ReadFile {
  const read = parseFile(file, WrittenDocument, context);
  if ('faults' in read) return read;
  const { document } = read.edit;
  const faults = [...ruleFaults(document, context), ...ownershipFaults(document, context)];
  return faults.length > 0 ? { subject: 'the campaign', faults } : read;
}

/**
 * Reads a campaign file like {@link readDocument}, but for a draft: rules may be violated, and the name may be missing.
 * A new draft whose start lies in the past starts with its last approval.
 *
 * @throws FaultyDocumentError with every fault, when a part is incomplete, a name or id in the file is unknown, the file
 * changes a part of the other side, or it moves the start into the past
 */
export function readDraft(file: unknown, { campaign, ...more }: ReadingContext): Edit {
  const context = { ...more, before: campaign && beforeEdit(campaign) };
  const read = parseFile(file, DraftDocument, context);
  if ('faults' in read) throw new FaultyDocumentError(read.subject, read.faults);
  const { document: written, nextPartId } = read.edit;
  const { before, now } = context;
  const isOver = before === null && isReached(written.startsAt, now);
  const document = isOver ? { ...written, startsAt: now.toISOString() } : written;
  const moved = findScheduleFaults(document, before, now).filter(({ pointer }) => pointer === '/startsAt');
  const forbidden = [...ownershipFaults(document, context), ...findStrangerFaults(document, context), ...moved];
  if (forbidden.length > 0) throw new FaultyDocumentError('the campaign', forbidden);
  return { document, nextPartId };
}

/** Finds every fault that keeps a stored draft from being approved. */
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
function findFieldFaults(document: CampaignDocument): CampaignFault[] {
  const read = parseWith(WrittenDocument, document);
  return 'faults' in read ? read.faults : [];
}

/** Gives the parts of a file ids and owners, and parses it. Does not apply the rules to a file that can be parsed. */
function parseFile(
  file: unknown,
  schema: typeof WrittenDocument | typeof DraftDocument,
  context: FaultContext,
): ReadFile {
  if (!isObject(file)) {
    return { subject: 'the file', faults: [fault('', 'invalid_type', 'has to be an object')] };
  }
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
    const ofRest = faultsOfRest(numbered.document, unread, context);
    const ownership = ownershipFaults(numbered.document, context).filter((one) => !isConsequence(one, unread));
    return { subject: 'the file', faults: [...unread, ...ofRest, ...ownership] };
  }
  if (byteLength(JSON.stringify(read.parsed)) > maximumBytes.campaignDocument) {
    return { subject: 'the file', faults: [tooLarge] };
  }
  return { edit: { document: read.parsed, nextPartId: numbered.nextPartId } };
}

const tooLarge = fault(
  '',
  'too_large',
  `is larger than ${maximumBytes.campaignDocument / 1024} KB with all its fields`,
);

function ruleFaults(document: RuledDocument, { settings, before, now }: FaultContext): CampaignFault[] {
  return [...validateCampaign(document, settings), ...findScheduleFaults(document, before, now)];
}

/**
 * Faults of programs that the author does not know: a merchant knows its partners, a partner knows its own program, and
 * both know the programs that the campaign names already. A partner sees a draft that moves its points, and the authors
 * see the partner's name.
 */
export function findStrangerFaults(
  document: CampaignDocument,
  { settings, before, organisationId }: Omit<FaultContext, 'now'>,
): CampaignFault[] {
  const { partnerId } = settings;
  const own = organisationId === partnerId ? [partnerId] : settings.programs;
  const named = before ? partnersOfPoints({ flows: before.document.flows, partnerId }) : [];
  const programs = new Set([...own, ...named]);
  return validateCampaign(document, { ...settings, programs }).filter(({ code }) => code === 'unknown_partner');
}

const ownershipFaults = (document: object, { before, organisationId }: FaultContext): CampaignFault[] =>
  findOwnershipFaults(before?.document ?? null, document, organisationId);

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
function faultsOfRest(document: Json, known: readonly CampaignFault[], context: FaultContext): CampaignFault[] {
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
function placeholdersFor(faulty: ReadonlySet<string>, { now }: FaultContext): Json {
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

function numberFile({ id: _, ...file }: Json, { before, organisationId, now }: FaultContext): NumberedDocument {
  const given = file.startsAt === null ? startWhenApproved(before, now) : (file.startsAt ?? before?.document.startsAt);
  const written = { ...file, startsAt: given ?? now.toISOString() };
  const nextPartId = before?.nextPartId ?? 1;
  return numberParts(written, before && { ...before.document }, { organisationId, nextPartId });
}

/** A campaign whose start is reached before its last approval starts with the approval. */
function startWhenApproved(before: CampaignBefore | null, now: Date): string | undefined {
  if (!before) return undefined;
  const isFixed = before.live !== null && before.live.status !== 'SCHEDULED';
  return isFixed || isReached(before.document.startsAt, now) ? before.document.startsAt : undefined;
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
