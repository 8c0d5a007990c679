import { randomUUID } from 'node:crypto';

/** One entry of PutEvents. */
export interface PutEventsEntry {
  readonly Source?: string;
  readonly DetailType?: string;
  /** The text of a JSON object. */
  readonly Detail?: string;
  /** Name or ARN; the default bus when absent. */
  readonly EventBusName?: string;
  readonly Resources?: readonly string[];
  /** Seconds since the epoch; the time of the call when absent. */
  readonly Time?: number;
}

/** What became of an entry. */
export type PutEventsResultEntry =
  | { readonly EventId: string; readonly ErrorCode?: never; readonly ErrorMessage?: never }
  | { readonly EventId?: never; readonly ErrorCode: string; readonly ErrorMessage: string };

export type EntryRefusal = Extract<PutEventsResultEntry, { ErrorCode: string }>;

/** An accepted event: the envelope as the targets receive it. */
export interface AcceptedEvent {
  readonly id: string;
  readonly json: string;
}

/** Why EventBridge would refuse an entry, or undefined when it is well-formed. */
export function refusalOf(entry: PutEventsEntry): EntryRefusal | undefined {
  for (const name of ['Source', 'DetailType', 'Detail'] as const) {
    if (!entry[name]) {
      return refusal('InvalidArgument', `Parameter ${name} is not valid. Reason: ${name} is a required argument.`);
    }
  }
  if (isReservedSource(entry.Source ?? '')) {
    return refusal('NotAuthorizedForSourceException', 'Not authorized for the source.');
  }
  return isJsonObject(entry.Detail ?? '') ? undefined : refusal('MalformedDetail', 'Detail is malformed.');
}

/** AWS keeps `aws.` to itself. A partner's source is let through: on one machine nobody else can play the partner. */
function isReservedSource(source: string): boolean {
  return source.startsWith('aws.') && !source.startsWith('aws.partner/');
}

export function refusal(code: string, message: string): EntryRefusal {
  return { ErrorCode: code, ErrorMessage: message };
}

/** Wraps a well-formed entry. The detail keeps its exact text: parsing it could change numbers the consumers sign. */
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

/** Size of an entry in bytes as AWS counts it towards the limit of a request. */
export function entrySize(entry: PutEventsEntry): number {
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
