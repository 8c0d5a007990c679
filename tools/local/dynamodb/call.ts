import type { FaultKind } from './faults.ts';
import { writes } from './request.ts';

/** What a call consumed, in request units; indexes are included and also told one by one. */
export interface Capacity {
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly unitsByIndex: Readonly<Record<string, number>>;
}

/** One call of DynamoDB, as the proxy saw it. */
export interface DynamoDbCall extends Partial<Capacity> {
  /** The function's short name, or the access key of somebody else. */
  readonly caller: string;
  readonly operation: string;
  /** `partition / sort` of every item that it names, in its order. */
  readonly keys: readonly string[];
  readonly indexes: readonly string[];
  /** Items of a transaction or batch; 1 otherwise. */
  readonly partCount: number;
  /** When DynamoDB itself was asked and had answered: milliseconds since the epoch, with fractions. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly status: number;
  /** The exception's name when it was refused. */
  readonly error?: string;
  /** The fault that was injected. */
  readonly fault?: FaultKind;
}

interface Consumed {
  readonly CapacityUnits?: number;
  readonly GlobalSecondaryIndexes?: Readonly<Record<string, { readonly CapacityUnits?: number }>>;
}

function indexUnits(consumed: readonly Consumed[]): Record<string, number> {
  const units: Record<string, number> = {};
  for (const { GlobalSecondaryIndexes = {} } of consumed) {
    for (const [index, { CapacityUnits = 0 }] of Object.entries(GlobalSecondaryIndexes)) {
      units[index] = (units[index] ?? 0) + CapacityUnits;
    }
  }
  return units;
}

/** Reads DynamoDB's own account of a call of one part. */
export function capacityOf(operation: string, consumed: unknown): Capacity {
  const entries = (Array.isArray(consumed) ? consumed : [consumed ?? {}]) as Consumed[];
  const total = entries.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
  const isWrite = writes(operation);
  return { readUnits: isWrite ? 0 : total, writeUnits: isWrite ? total : 0, unitsByIndex: indexUnits(entries) };
}
