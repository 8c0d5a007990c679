import { pageOf } from '../../aws-service/page.ts';
import { busNameOf, type EventBus } from '../bus.ts';
import type { RuleTarget } from '../rule.ts';
import type { StoredRule } from '../rule-store.ts';
import {
  type Operation,
  type OperationInput,
  optionalText,
  pageSize,
  requiredList,
  requiredText,
} from './operation.ts';

/** A target as the API spells it. */
interface WireTarget {
  readonly Id: string;
  readonly Arn: string;
  readonly Input?: string | undefined;
  readonly InputPath?: string | undefined;
  readonly InputTransformer?: WireInputTransformer | undefined;
  readonly SqsParameters?: { readonly MessageGroupId?: string | undefined } | undefined;
  readonly DeadLetterConfig?: { readonly Arn?: string } | undefined;
  readonly RetryPolicy?: WireRetryPolicy | undefined;
}

interface WireInputTransformer {
  readonly InputPathsMap?: Readonly<Record<string, string>> | undefined;
  readonly InputTemplate: string;
}

interface WireRetryPolicy {
  readonly MaximumRetryAttempts?: number | undefined;
  readonly MaximumEventAgeInSeconds?: number | undefined;
}

export const listTargetsByRule: Operation = (bus, input) => {
  const { targets } = ruleOf(bus, input);
  const { items, next } = pageOf(targets, pageSize(input), optionalText(input, 'NextToken'));
  return { Targets: items.map(toWire), ...(next && { NextToken: next }) };
};

export const putTargets: Operation = (bus, input) => {
  const rule = ruleOf(bus, input);
  const added = requiredList<WireTarget>(input, 'Targets', { min: 1, max: 100 }).map(fromWire);
  const addedIds = new Set(added.map((target) => target.id));
  bus.rules.putRule(rule, [...rule.targets.filter((target) => !addedIds.has(target.id)), ...added]);
  return { FailedEntryCount: 0, FailedEntries: [] };
};

export const removeTargets: Operation = (bus, input) => {
  const rule = ruleOf(bus, input);
  const removed = new Set(requiredList<string>(input, 'Ids', { min: 1, max: 100 }));
  bus.rules.putRule(
    rule,
    rule.targets.filter((target) => !removed.has(target.id)),
  );
  return { FailedEntryCount: 0, FailedEntries: [] };
};

function ruleOf(bus: EventBus, input: OperationInput): StoredRule {
  return bus.rules.rule(busNameOf(optionalText(input, 'EventBusName')), requiredText(input, 'Rule'));
}

function fromWire(wire: WireTarget): RuleTarget {
  const { InputTransformer: transformer, SqsParameters: sqs, RetryPolicy: retry } = wire;
  return {
    id: wire.Id,
    arn: wire.Arn,
    input: wire.Input,
    inputPath: wire.InputPath,
    inputTransformer: transformer && {
      inputPathsMap: transformer.InputPathsMap,
      inputTemplate: transformer.InputTemplate,
    },
    sqsParameters: sqs && { messageGroupId: sqs.MessageGroupId },
    deadLetterArn: wire.DeadLetterConfig?.Arn,
    retryPolicy: retry && {
      maximumRetryAttempts: retry.MaximumRetryAttempts,
      maximumEventAgeInSeconds: retry.MaximumEventAgeInSeconds,
    },
  };
}

function toWire(target: RuleTarget): WireTarget {
  const { inputTransformer: transformer, sqsParameters: sqs, retryPolicy: retry } = target;
  return {
    Id: target.id,
    Arn: target.arn,
    Input: target.input,
    InputPath: target.inputPath,
    InputTransformer: transformer && {
      InputPathsMap: transformer.inputPathsMap,
      InputTemplate: transformer.inputTemplate,
    },
    SqsParameters: sqs && { MessageGroupId: sqs.messageGroupId },
    DeadLetterConfig: target.deadLetterArn === undefined ? undefined : { Arn: target.deadLetterArn },
    RetryPolicy: retry && {
      MaximumRetryAttempts: retry.maximumRetryAttempts,
      MaximumEventAgeInSeconds: retry.maximumEventAgeInSeconds,
    },
  };
}
