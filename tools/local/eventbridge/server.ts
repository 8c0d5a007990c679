import { AwsError, validationError } from '../aws-service/aws-error.ts';
import { createServiceServer, type ServiceServer } from '../aws-service/service-server.ts';
import { busNameOf, type EventBus } from './bus.ts';
import { measureEntry, PutEventsEntry } from './entry.ts';
import {
  type Operation,
  type OperationInput,
  optionalText,
  requireList,
  requireText,
  selectPage,
} from './operation.ts';
import { ruleOperations } from './rule-operations.ts';
import { compileRulePattern } from './rule-store.ts';

const maxEntries = 10;

/** Limit of all entries of one request together (256 KB until January 2026). */
const maxRequestBytes = 1_048_576;

const putEvents: Operation = (bus, input) => putEntries(bus, readEntries(input));

/** The source of a partner's event is also the name of the bus that receives it. */
const putPartnerEvents: Operation = (bus, input) =>
  putEntries(
    bus,
    readEntries(input).map((entry) => ({ ...entry, EventBusName: entry.Source })),
  );

/** Unlike AWS, does not require the envelope's fields: a pattern can be tried on any object. */
const testEventPattern: Operation = (_, input) => {
  const { compiled } = compileRulePattern({ patternJson: requireText(input, 'EventPattern') });
  const event = requireText(input, 'Event');
  try {
    return { Result: compiled?.matches(event) ?? false };
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    throw new AwsError('ValidationException', `Parameter Event is not valid. Reason: ${error.message}`);
  }
};

const listEventBuses: Operation = (bus, input) => {
  const prefix = optionalText(input, 'NamePrefix') ?? '';
  const { items, next } = selectPage(
    input,
    bus.rules.busNames().filter((name) => name.startsWith(prefix)),
  );
  return { EventBuses: items.map((name) => toBusView(bus, name)), ...(next && { NextToken: next }) };
};

const describeEventBus: Operation = (bus, input) => {
  const name = busNameOf(optionalText(input, 'Name'));
  bus.rules.rulesOf(name); // refuses a bus that does not exist
  return toBusView(bus, name);
};

const createEventBus: Operation = (bus, input) => {
  const name = requireText(input, 'Name');
  bus.rules.createBus(name);
  return { EventBusArn: bus.rules.busArn(name) };
};

const deleteEventBus: Operation = (bus, input) => {
  bus.rules.deleteBus(requireText(input, 'Name'));
  return {};
};

const operations: ReadonlyMap<string, Operation> = new Map(
  Object.entries({
    PutEvents: putEvents,
    PutPartnerEvents: putPartnerEvents,
    TestEventPattern: testEventPattern,
    ListEventBuses: listEventBuses,
    DescribeEventBus: describeEventBus,
    CreateEventBus: createEventBus,
    DeleteEventBus: deleteEventBus,
    ...ruleOperations,
  }),
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

function putEntries(bus: EventBus, entries: readonly PutEventsEntry[]): object {
  const results = bus.putEvents(entries);
  return { FailedEntryCount: results.filter((result) => 'ErrorCode' in result).length, Entries: results };
}

function readEntries(input: OperationInput): PutEventsEntry[] {
  const entries = requireList(input, 'Entries', { element: PutEventsEntry, min: 1, max: maxEntries });
  for (const { Time } of entries) {
    if (Time !== undefined && Number.isNaN(new Date(Time * 1000).getTime())) {
      throw new AwsError('SerializationException', 'Time must be seconds since the epoch');
    }
  }
  if (entries.reduce((sum, entry) => sum + measureEntry(entry), 0) > maxRequestBytes) {
    throw validationError('Total size of the entries in the request is over the limit.');
  }
  return entries;
}

function toBusView(bus: EventBus, name: string): object {
  return { Name: name, Arn: bus.rules.busArn(name) };
}
