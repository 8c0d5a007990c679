import * as z from 'zod/mini';
import { CampaignDocument } from '../document/campaign.ts';
import type { CampaignFault, CampaignSettings } from '../document/kinds/fault.ts';
import type { ManagedCampaign } from '../document/record.ts';
import { isObject, type Json } from '../document/tree.ts';
import { findOwnershipFaults, findScheduleFaults } from './edit-faults.ts';
import { type NumberedDocument, numberParts } from './number-parts.ts';
import type { Act } from './outcome.ts';
import { type Edit, editable } from './review.ts';
import { FaultyDocumentError, parseWith } from './schema-faults.ts';
import { withTriggerIds } from './trigger-names.ts';
import { type Understood, understoodOf } from './understood.ts';
import { validateCampaign } from './validate.ts';

/** An instant of any offset, as the platform writes it. */
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

/** A campaign as a person writes it, once its parts are numbered. */
const WrittenDocument = z.strictObject({
  ...CampaignDocument.shape,
  name: z.string().check(z.minLength(1), z.maxLength(255)),
  description: z._default(z.nullable(z.string().check(z.maxLength(1000))), null),
  logo: z._default(z.nullable(icon), null),
  startsAt: instant,
  endsAt: z._default(z.nullable(instant), null),
});

/** What of it the rules between its parts are about; what else there is says nothing to them. */
const { type, startsAt, endsAt, flows, goals } = WrittenDocument.shape;
const Ruled = z.object({ type, startsAt, endsAt, flows, goals });
type Ruled = z.infer<typeof Ruled>;

/** What a campaign file is read for. */
export interface ReadingContext extends Act {
  /** What is known of the partnership. */
  readonly settings: CampaignSettings;
  /** The campaign that the file is to change; null when it is to make one. */
  readonly campaign: ManagedCampaign | null;
}

/**
 * Reads what a person wrote: parts get their ids and owners, a start that is left out stays as it is and is
 * now for a new campaign, and triggers may stand in it by their names. The campaign's own id may stand in
 * it, as an export has it.
 *
 * @throws FaultyDocumentError with everything that is wrong: what cannot be understood, and what cannot be of the rest.
 *   Whose part something is, is told once all of it is understood
 */
export function readDocument(file: unknown, context: ReadingContext): Edit {
  if (!isObject(file)) throw new FaultyDocumentError('the file', [noObject]);
  const named = withTriggerIds(file, context.settings.triggers);
  const numbered = numberedFile(named.file, context);
  const read = parseWith(WrittenDocument, numbered.document);
  const unread = [...('faults' in read ? read.faults : []), ...named.faults, ...numbered.faults];
  if ('faults' in read || unread.length > 0) {
    throw new FaultyDocumentError('the file', [...unread, ...faultsOfTheRest(numbered.document, unread, context)]);
  }

  const document = read.parsed;
  const faults = [
    ...ruleFaults(document, context),
    ...findOwnershipFaults(context.campaign && editable(context.campaign), document, context.organisationId),
  ];
  if (faults.length > 0) throw new FaultyDocumentError('the campaign', faults);
  return { document, nextPartId: numbered.nextPartId };
}

function ruleFaults(document: Ruled, { settings, campaign, now }: ReadingContext): CampaignFault[] {
  return [...validateCampaign(document, settings), ...findScheduleFaults(document, campaign, now)];
}

/** What is wrong with as much of a document as can be understood, beside what was told already. */
function faultsOfTheRest(document: Json, told: readonly CampaignFault[], context: ReadingContext): CampaignFault[] {
  const pointers = new Set(told.map(({ pointer }) => pointer));
  const unreadable = told.filter(({ code }) => code !== 'unknown_id' && code !== 'unknown_trigger');
  const rest = understoodOf(document, unreadable);
  const ruled = Ruled.safeParse({ ...rest.document, ...standInsFor(pointers, context) });
  if (!ruled.success) return [];
  return ruleFaults(ruled.data, context)
    .map((fault) => ({ ...fault, pointer: rest.written(fault.pointer) }))
    .filter((fault) => !pointers.has(fault.pointer) && !dependsOn(fault, pointers, rest));
}

/** Something in place of the fields that say nothing. Without a type nothing can be said of flows and goals. */
function standInsFor(pointers: ReadonlySet<string>, { now }: ReadingContext): Json {
  return {
    ...(pointers.has('/startsAt') && { startsAt: now.toISOString() }),
    ...(pointers.has('/endsAt') && { endsAt: null }),
    ...(pointers.has('/goals') && { goals: [] }),
    ...(pointers.has('/flows') && { flows: [] }),
    ...(pointers.has('/type') && { type: 'EARN', flows: [], goals: [] }),
  };
}

/** Whether something may only be wrong because of what is missing in the rest of the document. */
function dependsOn({ code, pointer }: CampaignFault, told: ReadonlySet<string>, { isReduced }: Understood): boolean {
  switch (code) {
    case 'end_before_start':
      return told.has('/startsAt');
    case 'unknown_trigger':
      return told.has(pointer.replace(/customTriggerId$/, 'name'));
    case 'no_flow':
      return told.has('/type') || isReduced(pointer);
    case 'no_action':
      return isReduced(pointer);
    case 'no_points':
      return isReduced(pointer.replace(/\/limits\/.*$/, '/actions'));
    default:
      return false;
  }
}

const noObject = { pointer: '', code: 'invalid_type', message: 'has to be an object' };

function numberedFile({ id: _, ...file }: Json, { campaign, organisationId, now }: ReadingContext): NumberedDocument {
  const before = campaign && editable(campaign);
  const startsAt = file.startsAt ?? before?.startsAt ?? now.toISOString();
  const nextPartId = campaign?.record.nextPartId ?? 1;
  return numberParts({ ...file, startsAt }, before && { ...before }, { organisationId, nextPartId });
}
