import * as z from 'zod/mini';
import type { RetryPolicy } from '../aws-service/delivery.ts';

/** A rule of a bus. */
export interface Rule {
  readonly name: string;
  readonly busName: string;
  readonly pattern: object;
  readonly state?: 'ENABLED' | 'DISABLED' | undefined;
  readonly targets: readonly RuleTarget[];
}

/** Where a rule sends a matched event, and in which form. */
export interface RuleTarget {
  readonly id: string;
  readonly arn: string;
  /** Path to a part of the event: only this part is sent. */
  readonly inputPath?: string | undefined;
  readonly deadLetterArn?: string | undefined;
  readonly retryPolicy?: RetryPolicy | undefined;
}

/** Where a delivery goes: to a rule's target, or to the queue of its dead letters. */
export interface DeliveryTarget extends RuleTarget {
  /** On dead letters: SQS string attributes that contain the reason. */
  readonly messageAttributes?: Readonly<Record<string, string>> | undefined;
}

/** Sends a body to a queue or a function. Rejects when the delivery failed. */
export type Deliver = (target: DeliveryTarget, body: string) => Promise<void>;

/** A target in a template. A property that does not work here is refused. */
const TemplateTarget = z.strictObject({
  Id: z.string(),
  Arn: z.string(),
  InputPath: z.optional(z.string()),
  DeadLetterConfig: z.optional(z.object({ Arn: z.optional(z.string()) })),
  RetryPolicy: z.optional(
    z.object({ MaximumRetryAttempts: z.optional(z.number()), MaximumEventAgeInSeconds: z.optional(z.number()) }),
  ),
});

/** @throws ZodError when the target has a property that does not work here */
export function readTarget(target: object): RuleTarget {
  const { Id, Arn, InputPath, DeadLetterConfig, RetryPolicy: retry } = TemplateTarget.parse(target);
  return {
    id: Id,
    arn: Arn,
    inputPath: InputPath,
    deadLetterArn: DeadLetterConfig?.Arn,
    retryPolicy: retry && {
      maximumRetryAttempts: retry.MaximumRetryAttempts,
      maximumEventAgeInSeconds: retry.MaximumEventAgeInSeconds,
    },
  };
}
