import * as z from 'zod/mini';
import { AwsError, createServiceServer, type ServiceServer, validationError } from '../aws-service/service-server.ts';
import { busNameOf, type EventBus } from './bus.ts';
import { measureEntry, PutEventsEntry, type PutEventsResultEntry } from './entry.ts';

/** An operation's input as it was received. Its fields are not checked yet. */
type OperationInput = Readonly<Record<string, unknown>>;

/** One operation of the API. Returns the reply's body, or throws an AwsError. */
type Operation = (bus: EventBus, input: OperationInput) => object;

const maxEntries = 10;
const maxPartnerEntries = 20;

/** Limit for the size of all entries of one request together (256 KB until January 2026). */
const maxRequestBytes = 1_048_576;

/** The operations that the platform, its operators and its tests call. The rules are those of the template. */
const operations: ReadonlyMap<string, Operation> = new Map(
  Object.entries({
    PutEvents: (bus, input) => toReply(bus.putEvents(readEntries(input, maxEntries))),
    PutPartnerEvents: (bus, input) => toReply(bus.putPartnerEvents(readEntries(input, maxPartnerEntries))),
    ListRules: (bus, { EventBusName }) => {
      const busName = busNameOf(typeof EventBusName === 'string' ? EventBusName : undefined);
      const rules = bus.rules.rulesOf(busName).map(({ name, arn, pattern, state }) => {
        return { Name: name, Arn: arn, EventPattern: JSON.stringify(pattern), State: state, EventBusName: busName };
      });
      return { Rules: rules };
    },
  } satisfies Record<string, Operation>),
);

/** Serves a bus over the AWS JSON 1.1 protocol, for the SDKs and `aws events --endpoint-url`. */
export function createEventBridgeServer(bus: EventBus): ServiceServer {
  return createServiceServer({
    contentType: 'application/x-amz-json-1.1',
    handle({ headers, body }) {
      const [service, name = ''] = String(headers['x-amz-target'] ?? '').split('.');
      const operation = service === 'AWSEvents' ? operations.get(name) : undefined;
      if (!operation) throw new AwsError('UnknownOperationException', `EventBridge has no operation ${name} here`);
      return operation(bus, body);
    },
  });
}

function toReply(results: readonly PutEventsResultEntry[]): object {
  return { FailedEntryCount: results.filter((result) => 'ErrorCode' in result).length, Entries: results };
}

function readEntries({ Entries }: OperationInput, max: number): PutEventsEntry[] {
  const parsed = z.array(PutEventsEntry).check(z.minLength(1), z.maxLength(max)).safeParse(Entries);
  if (!parsed.success) throw validationError(`1 validation error detected: ${z.prettifyError(parsed.error)}`);
  for (const { Time } of parsed.data) {
    if (Time !== undefined && Number.isNaN(new Date(Time * 1000).getTime())) {
      throw new AwsError('SerializationException', 'Time must be seconds since the epoch');
    }
  }
  if (parsed.data.reduce((sum, entry) => sum + measureEntry(entry), 0) > maxRequestBytes) {
    throw validationError('Total size of the entries in the request is over the limit.');
  }
  return parsed.data;
}
