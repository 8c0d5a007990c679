import { AwsError } from '../aws-service/aws-error.ts';
import { createServiceServer, type ServiceServer } from '../aws-service/http-server.ts';
import type { EventBus } from './bus.ts';
import { createEventBus, deleteEventBus, describeEventBus, listEventBuses } from './operations/buses.ts';
import { putEvents, putPartnerEvents, testEventPattern } from './operations/events.ts';
import type { Operation } from './operations/operation.ts';
import {
  deleteRule,
  describeRule,
  disableRule,
  enableRule,
  listRuleNamesByTarget,
  listRules,
  putRule,
} from './operations/rules.ts';
import { listTargetsByRule, putTargets, removeTargets } from './operations/targets.ts';

const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  Object.entries({
    PutEvents: putEvents,
    PutPartnerEvents: putPartnerEvents,
    TestEventPattern: testEventPattern,
    ListEventBuses: listEventBuses,
    DescribeEventBus: describeEventBus,
    CreateEventBus: createEventBus,
    DeleteEventBus: deleteEventBus,
    ListRules: listRules,
    ListRuleNamesByTarget: listRuleNamesByTarget,
    DescribeRule: describeRule,
    PutRule: putRule,
    DeleteRule: deleteRule,
    EnableRule: enableRule,
    DisableRule: disableRule,
    ListTargetsByRule: listTargetsByRule,
    PutTargets: putTargets,
    RemoveTargets: removeTargets,
  }),
);

/** Puts a bus on HTTP in the AWS JSON 1.1 protocol, for the SDKs and `aws events --endpoint-url`. */
export function createEventBridgeServer(bus: EventBus): ServiceServer {
  return createServiceServer({
    contentType: 'application/x-amz-json-1.1',
    handle({ headers, body }) {
      const [service, name = ''] = String(headers['x-amz-target'] ?? '').split('.');
      const operation = service === 'AWSEvents' ? OPERATIONS.get(name) : undefined;
      if (!operation) throw new AwsError('UnknownOperationException', `EventBridge has no operation ${name} here`);
      return operation(bus, body);
    },
  });
}
