import type { FaultKind } from './faults.ts';
import type { KeyedPart } from './keys.ts';

/** An error reply in DynamoDB's words. */
export interface Refusal {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> & { readonly __type: string };
}

function refusal(name: string, message: string, more: object = {}): Refusal {
  return {
    status: 400,
    body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, Message: message, message, ...more },
  };
}

interface Wording {
  /** The exception of a call that is no transaction. */
  readonly exception: string;
  /** The reason's code within a transaction. */
  readonly code: string;
  readonly message: string;
}

const wordings: Readonly<Record<Exclude<FaultKind, 'killBefore' | 'killAfter'>, Wording>> = {
  TransactionConflict: {
    exception: 'TransactionConflictException',
    code: 'TransactionConflict',
    message: 'Transaction is ongoing for the item',
  },
  ProvisionedThroughputExceeded: {
    exception: 'ProvisionedThroughputExceededException',
    code: 'ProvisionedThroughputExceeded',
    message: 'The level of configured provisioned throughput for the table was exceeded.',
  },
  Throttling: {
    exception: 'ThrottlingException',
    code: 'ThrottlingError',
    message: 'Throughput exceeds the current capacity of your table or index.',
  },
};

/**
 * The reply to a call that an injected fault refuses.
 *
 * @param met the position of the item of a transaction that meets it
 */
export function faultRefusal(
  fault: keyof typeof wordings,
  operation: string,
  { partCount, met = 0 }: { readonly partCount: number; readonly met?: number },
): Refusal {
  const { exception, code, message } = wordings[fault];
  if (!operation.startsWith('Transact')) return refusal(exception, message);
  const reasons = Array.from({ length: Math.max(1, partCount) }, (_, index) =>
    index === met ? { Code: code, Message: message } : { Code: 'None' },
  );
  const codes = reasons.map(({ Code }) => Code).join(', ');
  const text = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  return refusal('TransactionCanceledException', text, { CancellationReasons: reasons });
}

/** The reply to a call that the caller's role does not allow. */
export function accessDenied(caller: string, { action, table, index, partition }: KeyedPart): Refusal {
  const resource = index ? `table/${table}/index/${index}` : `table/${table}`;
  const key = partition === undefined ? '' : ` (partition key ${partition})`;
  const message = `${caller} is not authorized to perform: dynamodb:${action} on resource: ${resource}${key} because no identity-based policy allows it`;
  return refusal('AccessDeniedException', message);
}
