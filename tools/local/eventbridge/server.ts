import * as z from 'zod/mini';
import { AwsError, createServiceServer, type ServiceServer, validationError } from '../aws-service/service-server.ts';
import { busNameOf, type EventBus } from './bus.ts';
import { measureEntry, PutEventsEntry, type PutEventsResultEntry } from './entry.ts';
import {
  type Operation,
  type OperationInput,
  optionalText,
  requireList,
  requireText,
  selectPage,
} from './operation.ts';
import { fromWireTarget, toWireTarget, WireTarget } from './rule.ts';
import { compileRulePattern, type StoredRule } from './rule-store.ts';

const listRules: Operation = (bus, input) => {
  const prefix = optionalText(input, 'NamePrefix') ?? '';
  const rules = bus.rules.rulesOf(busOf(input)).filter((rule) => rule.name.startsWith(prefix));
  const { items, next } = selectPage(input, rules);
  return { Rules: items.map(toRuleView), ...(next && { NextToken: next }) };
};

const listRuleNamesByTarget: Operation = (bus, input) => {
  const arn = requireText(input, 'TargetArn');
  const rules = bus.rules.rulesOf(busOf(input)).filter((rule) => rule.targets.some((target) => target.arn === arn));
  const { items, next } = selectPage(input, rules);
  return { RuleNames: items.map((rule) => rule.name), ...(next && { NextToken: next }) };
};

const describeRule: Operation = (bus, input) => toRuleView(findRule(bus, input, 'Name'));

const putRule: Operation = (bus, input) => {
  const patternJson = optionalText(input, 'EventPattern');
  if (patternJson === undefined) {
    throw validationError(
      'Parameter(s) EventPattern must be specified: scheduled rules are not emulated, use Scheduler.',
    );
  }
  const description = optionalText(input, 'Description');
  const rule = bus.rules.putRule({
    name: requireText(input, 'Name'),
    busName: busOf(input),
    patternJson,
    state: optionalText(input, 'State') === 'DISABLED' ? 'DISABLED' : 'ENABLED',
    ...(description !== undefined && { description }),
  });
  return { RuleArn: rule.arn };
};

const deleteRule: Operation = (bus, input) => {
  const busName = busOf(input);
  const name = requireText(input, 'Name');
  const isInUse = bus.rules.rulesOf(busName).some((rule) => rule.name === name && rule.targets.length > 0);
  if (isInUse) throw validationError("Rule can't be deleted since it has targets.");
  bus.rules.deleteRule(busName, name);
  return {};
};

const setState =
  (state: 'ENABLED' | 'DISABLED'): Operation =>
  (bus, input) => {
    bus.rules.putRule({ ...findRule(bus, input, 'Name'), state });
    return {};
  };

const listTargetsByRule: Operation = (bus, input) => {
  const { items, next } = selectPage(input, findRule(bus, input, 'Rule').targets);
  return { Targets: items.map(toWireTarget), ...(next && { NextToken: next }) };
};

const putTargets: Operation = (bus, input) => {
  const rule = findRule(bus, input, 'Rule');
  const added = requireList(input, 'Targets', { element: WireTarget, min: 1, max: 100 }).map(fromWireTarget);
  const addedIds = new Set(added.map((target) => target.id));
  bus.rules.putRule(rule, [...rule.targets.filter((target) => !addedIds.has(target.id)), ...added]);
  return { FailedEntryCount: 0, FailedEntries: [] };
};

const removeTargets: Operation = (bus, input) => {
  const rule = findRule(bus, input, 'Rule');
  const removed = new Set(requireList(input, 'Ids', { element: z.string(), min: 1, max: 100 }));
  bus.rules.putRule(
    rule,
    rule.targets.filter((target) => !removed.has(target.id)),
  );
  return { FailedEntryCount: 0, FailedEntries: [] };
};

/** The operations on rules and their targets, by their names in the API. */
const ruleOperations = {
  ListRules: listRules,
  ListRuleNamesByTarget: listRuleNamesByTarget,
  DescribeRule: describeRule,
  PutRule: putRule,
  DeleteRule: deleteRule,
  EnableRule: setState('ENABLED'),
  DisableRule: setState('DISABLED'),
  ListTargetsByRule: listTargetsByRule,
  PutTargets: putTargets,
  RemoveTargets: removeTargets,
} satisfies Record<string, Operation>;

function busOf(input: OperationInput): string {
  return busNameOf(optionalText(input, 'EventBusName'));
}

/** The rule's name is in the field `Name` or `Rule`, depending on the operation. */
function findRule(bus: EventBus, input: OperationInput, member: 'Name' | 'Rule'): StoredRule {
  return bus.rules.rule(busOf(input), requireText(input, member));
}

function toRuleView(rule: StoredRule): object {
  return {
    Name: rule.name,
    Arn: rule.arn,
    EventPattern: rule.patternJson,
    State: rule.state,
    Description: rule.description,
    EventBusName: rule.busName,
  };
}

const maxEntries = 10;
const maxPartnerEntries = 20;

/** Limit for the size of all entries of one request together (256 KB until January 2026). */
const maxRequestBytes = 1_048_576;

const putEvents: Operation = (bus, input) => toReply(bus.putEvents(readEntries(input, maxEntries)));

const putPartnerEvents: Operation = (bus, input) =>
  toReply(bus.putPartnerEvents(readEntries(input, maxPartnerEntries)));

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

function toReply(results: readonly PutEventsResultEntry[]): object {
  return { FailedEntryCount: results.filter((result) => 'ErrorCode' in result).length, Entries: results };
}

function readEntries(input: OperationInput, max: number): PutEventsEntry[] {
  const entries = requireList(input, 'Entries', { element: PutEventsEntry, min: 1, max });
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
