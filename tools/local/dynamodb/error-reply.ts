import type { FaultKind } from './faults.ts';
import type { KeyedPart } from './keys.ts';

/** An error reply in DynamoDB's form. */
export interface ErrorReply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> & { readonly __type: string };
}

function buildReply(name: string, message: string, more: object = {}): ErrorReply {
  return {
    status: 400,
    body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, Message: message, message, ...more },
  };
}

interface Wording {
  /** The exception of a call outside transactions. */
  readonly exception: string;
  /** The code of a cancellation reason of a transaction. */
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
 * Returns the reply to a call that fails by an injected fault.
 *
 * @param position which part of a transaction fails
 */
export function buildFaultReply(
  fault: keyof typeof wordings,
  operation: string,
  { partCount, position = 0 }: { readonly partCount: number; readonly position?: number },
): ErrorReply {
  const { exception, code, message } = wordings[fault];
  if (!operation.startsWith('Transact')) return buildReply(exception, message);
  const reasons = Array.from({ length: Math.max(1, partCount) }, (_, index) =>
    index === position ? { Code: code, Message: message } : { Code: 'None' },
  );
  const codes = reasons.map(({ Code }) => Code).join(', ');
  const text = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  return buildReply('TransactionCanceledException', text, { CancellationReasons: reasons });
}

/** Returns the reply to a call that the caller's role does not allow. */
export function buildAccessDeniedReply(caller: string, { action, table, index, partition }: KeyedPart): ErrorReply {
  const resource = index ? `table/${table}/index/${index}` : `table/${table}`;
  const key = partition === undefined ? '' : ` (partition key ${partition})`;
  const message = `${caller} is not authorized to perform: dynamodb:${action} on resource: ${resource}${key} because no identity-based policy allows it`;
  return buildReply('AccessDeniedException', message);
}
