import type { RetryPolicy } from '../aws-service/delivery.ts';

/** A rule of a bus as a template declares it. */
export interface Rule {
  readonly name: string;
  readonly busName: string;
  /** Absent for a rule that only has a schedule: it matches nothing. */
  readonly pattern?: object | undefined;
  readonly state?: 'ENABLED' | 'DISABLED' | undefined;
  readonly description?: string | undefined;
  readonly targets: readonly RuleTarget[];
}

/** Where a rule sends what it matched, and in which form. */
export interface RuleTarget {
  readonly id: string;
  readonly arn: string;
  /** Constant text sent instead of the event. */
  readonly input?: string | undefined;
  /** The part of the event to send. */
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

/** What the runner is asked to deliver to: a rule's target, or the queue of its dead letters with their attributes. */
export interface DeliveryTarget extends RuleTarget {
  /** SQS message attributes (all strings) that say why the event is a dead letter. */
  readonly messageAttributes?: Readonly<Record<string, string>> | undefined;
}

/** Sends a body to a queue or a function; rejects when it could not. */
export type Deliver = (target: DeliveryTarget, body: string) => Promise<void>;
