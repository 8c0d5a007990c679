import * as z from 'zod/mini';
import type { RetryPolicy } from '../aws-service/delivery.ts';

/** A rule of a bus. */
export interface Rule {
  readonly name: string;
  readonly busName: string;
  /** Absent for a rule that has only a schedule. Such a rule matches no event. */
  readonly pattern?: object | undefined;
  readonly state?: 'ENABLED' | 'DISABLED' | undefined;
  readonly description?: string | undefined;
  readonly targets: readonly RuleTarget[];
}

/** Where a rule sends a matched event, and in which form. */
export interface RuleTarget {
  readonly id: string;
  readonly arn: string;
  /** Constant text that replaces the event. */
  readonly input?: string | undefined;
  /** Path to a part of the event: only this part is sent. */
  readonly inputPath?: string | undefined;
  readonly inputTransformer?: InputTransformer | undefined;
  readonly sqsParameters?: { readonly messageGroupId?: string | undefined } | undefined;
  readonly deadLetterArn?: string | undefined;
  readonly retryPolicy?: RetryPolicy | undefined;
}

export interface InputTransformer {
  /** Variable → path in the event. */
  readonly inputPathsMap?: Readonly<Record<string, string>> | undefined;
  /** Text with `<variable>` in the places to fill. */
  readonly inputTemplate: string;
}

/** Where a delivery goes: to a rule's target, or to the queue of its dead letters. */
export interface DeliveryTarget extends RuleTarget {
  /** On dead letters: SQS string attributes that contain the reason. */
  readonly messageAttributes?: Readonly<Record<string, string>> | undefined;
}

/** Sends a body to a queue or a function. Rejects when the delivery failed. */
export type Deliver = (target: DeliveryTarget, body: string) => Promise<void>;

/** A target in the spelling of the API and of templates. */
export const WireTarget = z.object({
  Id: z.string(),
  Arn: z.string(),
  Input: z.optional(z.string()),
  InputPath: z.optional(z.string()),
  InputTransformer: z.optional(
    z.object({ InputPathsMap: z.optional(z.record(z.string(), z.string())), InputTemplate: z.string() }),
  ),
  SqsParameters: z.optional(z.object({ MessageGroupId: z.optional(z.string()) })),
  DeadLetterConfig: z.optional(z.object({ Arn: z.optional(z.string()) })),
  RetryPolicy: z.optional(
    z.object({ MaximumRetryAttempts: z.optional(z.number()), MaximumEventAgeInSeconds: z.optional(z.number()) }),
  ),
});
export type WireTarget = z.infer<typeof WireTarget>;

export function fromWireTarget(wire: WireTarget): RuleTarget {
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

export function toWireTarget(target: RuleTarget): WireTarget {
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
