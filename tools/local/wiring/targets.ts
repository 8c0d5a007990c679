import type { Lambda } from '../lambda/lambda.ts';
import type { Sqs } from '../sqs/sqs.ts';

/** Options of a message to a queue. Functions ignore them. */
interface TargetOptions {
  readonly messageGroupId?: string | undefined;
  readonly messageAttributes?: Readonly<Record<string, string>> | undefined;
}

/** Sends a body to the target with an ARN. Rejects when the delivery failed. */
export type SendToTarget = (arn: string, body: string, options?: TargetOptions) => Promise<void>;

/** The target's kind is not emulated, so a retry would fail too. */
class UnknownTargetError extends Error {
  override readonly name = 'UnknownTargetError';
  readonly retryable = false;
}

/** Supports the targets of rules, schedules and on-failure destinations: queues and functions. */
export function createTargetSender(sqs: Sqs, lambda: () => Lambda): SendToTarget {
  return async (arn, body, options = {}) => {
    const service = arn.split(':')[2];
    if (service === 'sqs') sqs.send(arn, body, options);
    else if (service === 'lambda') lambda().invokeLater(arn, body);
    else throw new UnknownTargetError(`the local platform cannot send to ${arn}`);
  };
}
