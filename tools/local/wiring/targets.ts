import type { Lambda } from '../lambda/lambda.ts';
import type { Sqs } from '../sqs/sqs.ts';

/** What may come with a body. */
interface TargetOptions {
  readonly messageGroupId?: string | undefined;
  readonly messageAttributes?: Readonly<Record<string, string>> | undefined;
}

/** Brings a body to whatever an ARN names; rejects when it could not. */
export type SendToTarget = (arn: string, body: string, options?: TargetOptions) => Promise<void>;

/** Trying again cannot help. */
class UnknownTargetError extends Error {
  readonly retryable = false;
}

/** The targets that rules, schedules and on-failure destinations can have: queues and functions. */
export function targetSender(sqs: Sqs, lambda: () => Lambda): SendToTarget {
  return async (arn, body, options = {}) => {
    const service = arn.split(':')[2];
    if (service === 'sqs') sqs.send(arn, body, options);
    else if (service === 'lambda') lambda().invokeLater(arn, body);
    else throw new UnknownTargetError(`nothing can be sent to ${arn} on the local platform`);
  };
}
