import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';

/** One entry of PutEvents. `Detail` is the text of a JSON object, `Time` is in seconds since the epoch. */
export const PutEventsEntry = z.object({
  Source: z.optional(z.string()),
  DetailType: z.optional(z.string()),
  Detail: z.optional(z.string()),
  /** Name or ARN; the default bus when absent. */
  EventBusName: z.optional(z.string()),
  Resources: z.optional(z.array(z.string())),
  /** When absent: the time of the call. */
  Time: z.optional(z.number()),
});
export type PutEventsEntry = z.infer<typeof PutEventsEntry>;

/** The result for one entry: the event's id, or the reason for the refusal. */
export type PutEventsResultEntry =
  | { readonly EventId: string; readonly ErrorCode?: never; readonly ErrorMessage?: never }
  | RefusedEntry;

export interface RefusedEntry {
  readonly EventId?: never;
  readonly ErrorCode: string;
  readonly ErrorMessage: string;
}

/** An accepted event: the envelope as the targets receive it. */
export interface AcceptedEvent {
  readonly id: string;
  readonly json: string;
}

/**
 * Returns why EventBridge would refuse an entry, or undefined when it would accept the entry. PutEvents refuses sources
 * that begin with `aws.`, and PutPartnerEvents accepts only sources that begin with `aws.partner/`.
 */
export function checkEntry(entry: PutEventsEntry, isPartners = false): RefusedEntry | undefined {
  for (const name of ['Source', 'DetailType', 'Detail'] as const) {
    if (!entry[name]) {
      return refuseEntry('InvalidArgument', `Parameter ${name} is not valid. Reason: ${name} is a required argument.`);
    }
  }
  if (isPartners !== (entry.Source ?? '').startsWith(isPartners ? 'aws.partner/' : 'aws.')) {
    return refuseEntry('NotAuthorizedForSourceException', 'Not authorized for the source.');
  }
  return isJsonObject(entry.Detail ?? '') ? undefined : refuseEntry('MalformedDetail', 'Detail is malformed.');
}

export function refuseEntry(code: string, message: string): RefusedEntry {
  return { ErrorCode: code, ErrorMessage: message };
}

/** Wraps a well-formed entry. The detail keeps its exact text, because parsing can change numbers. */
export function acceptEntry(
  entry: PutEventsEntry,
  { accountId, region, nowMs }: { accountId: string; region: string; nowMs: number },
): AcceptedEvent {
  const id = randomUUID();
  const timeMs = entry.Time === undefined ? nowMs : entry.Time * 1000;
  const envelope = {
    version: '0',
    id,
    'detail-type': entry.DetailType,
    source: entry.Source,
    account: accountId,
    time: `${new Date(timeMs).toISOString().slice(0, 19)}Z`,
    region,
    resources: entry.Resources ?? [],
  };
  return { id, json: `${JSON.stringify(envelope).slice(0, -1)},"detail":${entry.Detail}}` };
}

/** Returns the size of an entry in bytes, as AWS counts it towards the limit of a request. */
export function measureEntry(entry: PutEventsEntry): number {
  const texts = [entry.Source, entry.DetailType, entry.Detail, ...(entry.Resources ?? [])];
  const textBytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? '', 'utf8'), 0);
  return textBytes + (entry.Time === undefined ? 0 : 14);
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
