import { validationError } from '../../aws-service/aws-error.ts';
import { pageOf } from '../../aws-service/page.ts';
import { busNameOf } from '../bus.ts';
import type { StoredRule } from '../rule-store.ts';
import { type Operation, type OperationInput, optionalText, pageSize, requiredText } from './operation.ts';

export const listRules: Operation = (bus, input) => {
  const rules = bus.rules
    .rulesOf(busOf(input))
    .filter((rule) => rule.name.startsWith(optionalText(input, 'NamePrefix') ?? ''));
  const { items, next } = pageOf(rules, pageSize(input), optionalText(input, 'NextToken'));
  return { Rules: items.map(ruleView), ...(next && { NextToken: next }) };
};

export const listRuleNamesByTarget: Operation = (bus, input) => {
  const arn = requiredText(input, 'TargetArn');
  const rules = bus.rules.rulesOf(busOf(input)).filter((rule) => rule.targets.some((target) => target.arn === arn));
  const { items, next } = pageOf(rules, pageSize(input), optionalText(input, 'NextToken'));
  return { RuleNames: items.map((rule) => rule.name), ...(next && { NextToken: next }) };
};

export const describeRule: Operation = (bus, input) =>
  ruleView(bus.rules.rule(busOf(input), requiredText(input, 'Name')));

export const putRule: Operation = (bus, input) => {
  const patternJson = optionalText(input, 'EventPattern');
  if (patternJson === undefined) {
    throw validationError(
      'Parameter(s) EventPattern must be specified: scheduled rules are not emulated, use Scheduler.',
    );
  }
  const description = optionalText(input, 'Description');
  const rule = bus.rules.putRule({
    name: requiredText(input, 'Name'),
    busName: busOf(input),
    patternJson,
    state: optionalText(input, 'State') === 'DISABLED' ? 'DISABLED' : 'ENABLED',
    ...(description !== undefined && { description }),
  });
  return { RuleArn: rule.arn };
};

export const deleteRule: Operation = (bus, input) => {
  const busName = busOf(input);
  const name = requiredText(input, 'Name');
  const isInUse = bus.rules.rulesOf(busName).some((rule) => rule.name === name && rule.targets.length > 0);
  if (isInUse) throw validationError("Rule can't be deleted since it has targets.");
  bus.rules.deleteRule(busName, name);
  return {};
};

export const enableRule = stateChange('ENABLED');
export const disableRule = stateChange('DISABLED');

function stateChange(state: 'ENABLED' | 'DISABLED'): Operation {
  return (bus, input) => {
    bus.rules.putRule({ ...bus.rules.rule(busOf(input), requiredText(input, 'Name')), state });
    return {};
  };
}

function busOf(input: OperationInput): string {
  return busNameOf(optionalText(input, 'EventBusName'));
}

function ruleView(rule: StoredRule): object {
  return {
    Name: rule.name,
    Arn: rule.arn,
    EventPattern: rule.patternJson,
    State: rule.state,
    Description: rule.description,
    EventBusName: rule.busName,
  };
}
