import type { FaultKind } from './faults.ts';
import { isWrite } from './request.ts';

/** Request units that a call consumed. The totals include the indexes. */
export interface Capacity {
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly unitsByIndex: Readonly<Record<string, number>>;
}

/** One call of DynamoDB, as recorded by the proxy. */
export interface DynamoDbCall extends Partial<Capacity> {
  /** The short name of the calling function, or the access key of another caller. */
  readonly caller: string;
  readonly operation: string;
  /** `partition / sort` of each item that the call names, in the call's order. */
  readonly keys: readonly string[];
  readonly indexes: readonly string[];
  /** Number of items of a transaction or batch; 1 for other calls. */
  readonly partCount: number;
  /** When DynamoDB received the request: milliseconds since the epoch, with fractions. */
  readonly startedAt: number;
  /** When DynamoDB had replied: milliseconds since the epoch, with fractions. */
  readonly endedAt: number;
  readonly status: number;
  /** The exception's name when the call was refused. */
  readonly error?: string;
  /** The injected fault. */
  readonly fault?: FaultKind;
}

/** DynamoDB's own report of the capacity that a call consumed. */
export interface ConsumedCapacity {
  readonly CapacityUnits?: number;
  readonly GlobalSecondaryIndexes?: Readonly<Record<string, { readonly CapacityUnits?: number }>>;
}

/** Converts DynamoDB's report for a call that has one part. */
export function toCapacity(operation: string, consumed: ConsumedCapacity = {}): Capacity {
  const { CapacityUnits = 0, GlobalSecondaryIndexes = {} } = consumed;
  const indexes = Object.entries(GlobalSecondaryIndexes).map(([name, index]) => [name, index.CapacityUnits ?? 0]);
  return {
    readUnits: isWrite(operation) ? 0 : CapacityUnits,
    writeUnits: isWrite(operation) ? CapacityUnits : 0,
    unitsByIndex: Object.fromEntries(indexes),
  };
}
