import { AwsError, validationError } from '../../aws-service/aws-error.ts';
import { entrySize, type PutEventsEntry } from '../entry.ts';
import { compiledPattern } from '../rule-store.ts';
import { type Operation, type OperationInput, requiredList, requiredText } from './operation.ts';

const MAX_ENTRIES = 10;

/** Of all entries of a request together; 256 KB until January 2026. */
const MAX_REQUEST_BYTES = 1_048_576;

export const putEvents: Operation = (bus, input) => {
  const entries = readEntries(input);
  const results = bus.putEvents(entries);
  return { FailedEntryCount: results.filter((result) => 'ErrorCode' in result).length, Entries: results };
};

/** What a partner's event source calls: the source names both the events' source and the bus they arrive on. */
export const putPartnerEvents: Operation = (bus, input) =>
  putEvents(bus, { Entries: readEntries(input).map((entry) => ({ ...entry, EventBusName: entry.Source })) });

/** Unlike AWS it does not insist on the envelope's fields, so that a pattern can be tried on any object. */
export const testEventPattern: Operation = (_, input) => {
  const { compiled } = compiledPattern({ name: '', busName: '', patternJson: requiredText(input, 'EventPattern') });
  const event = requiredText(input, 'Event');
  try {
    return { Result: compiled?.matches(event) ?? false };
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    throw new AwsError('ValidationException', `Parameter Event is not valid. Reason: ${error.message}`);
  }
};

function readEntries(input: OperationInput): PutEventsEntry[] {
  const entries = requiredList<PutEventsEntry>(input, 'Entries', { min: 1, max: MAX_ENTRIES });
  for (const { Time } of entries) {
    if (Time !== undefined && Number.isNaN(new Date(Number(Time) * 1000).getTime())) {
      throw new AwsError('SerializationException', 'Time must be seconds since the epoch');
    }
  }
  if (entries.reduce((sum, entry) => sum + entrySize(entry), 0) > MAX_REQUEST_BYTES) {
    throw validationError('Total size of the entries in the request is over the limit.');
  }
  return entries;
}
