import * as z from 'zod/mini';
import { validationError } from '../aws-service/aws-error.ts';
import { busNameOf, type EventBus } from './bus.ts';
import {
  type Operation,
  type OperationInput,
  optionalText,
  requireList,
  requireText,
  selectPage,
} from './operation.ts';
import { fromWireTarget, toWireTarget, WireTarget } from './rule.ts';
import type { StoredRule } from './rule-store.ts';

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
export const ruleOperations = {
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

/** The rule's name is in the member `Name` or `Rule`, depending on the operation. */
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
