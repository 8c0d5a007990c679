import { compilePattern } from '../eventbridge/pattern/event-pattern.ts';
import type { Resource } from '../template/resources.ts';

/** The properties of an event source mapping in the template. */
export interface MappingProperties {
  readonly EventSourceArn: string;
  readonly FunctionName: string;
  readonly Enabled?: boolean;
  readonly BatchSize?: number;
  readonly MaximumBatchingWindowInSeconds?: number;
  readonly FunctionResponseTypes?: readonly string[];
  readonly FilterCriteria?: { readonly Filters?: readonly { readonly Pattern: string }[] };
  readonly ScalingConfig?: { readonly MaximumConcurrency?: number };
  readonly StartingPosition?: string;
  readonly BisectBatchOnFunctionError?: boolean;
  readonly MaximumRetryAttempts?: number;
  readonly MaximumRecordAgeInSeconds?: number;
  readonly ParallelizationFactor?: number;
  readonly DestinationConfig?: { readonly OnFailure?: { readonly Destination?: string } };
}

/** A running event source. */
export interface EventSource {
  /** The queue or the stream. */
  readonly name: string;
  /**
   * Whether everything that the source contained at `sinceMs` has been handled. Content that waits for a later time
   * does not count.
   *
   * @param sinceMs a time of `performance.now()`
   */
  isDrained(sinceMs: number): boolean;
  /** Returns the time at which the next waiting content is due, in milliseconds since the epoch. */
  findNextMs(): number | undefined;
  stop(): Promise<void>;
}

const knownProperties: ReadonlySet<string> = new Set<keyof MappingProperties | 'Tags' | 'MetricsConfig'>([
  'EventSourceArn',
  'FunctionName',
  'Enabled',
  'BatchSize',
  'MaximumBatchingWindowInSeconds',
  'FunctionResponseTypes',
  'FilterCriteria',
  'ScalingConfig',
  'StartingPosition',
  'BisectBatchOnFunctionError',
  'MaximumRetryAttempts',
  'MaximumRecordAgeInSeconds',
  'ParallelizationFactor',
  'DestinationConfig',
  'Tags',
  'MetricsConfig',
]);

/** @throws Error with the names of properties that are not emulated, because they would silently have no effect */
export function readMapping(resource: Resource): MappingProperties {
  const properties = resource.properties<MappingProperties>();
  const unknown = Object.keys(properties).filter((name) => !knownProperties.has(name));
  if (unknown.length > 0) {
    throw new Error(`${resource.logicalId}: the local platform does not know ${unknown.join(', ')}`);
  }
  return properties;
}

/**
 * Returns a test for records. A record passes when it matches one of the mapping's filters, or when the mapping has no
 * filters.
 */
export function createFilter({
  FilterCriteria,
}: Pick<MappingProperties, 'FilterCriteria'>): (record: object) => boolean {
  const patterns = FilterCriteria?.Filters?.map(({ Pattern }) => compilePattern(Pattern)) ?? [];
  return (record) => patterns.length === 0 || patterns.some((pattern) => pattern.matches(record));
}

interface BatchReply {
  readonly batchItemFailures?: readonly { readonly itemIdentifier?: unknown }[] | null;
}

/**
 * Reads which items of a batch the function reports as failed, by Lambda's rules: nothing, null or an empty list means
 * success; an empty or unknown identifier fails the whole batch.
 */
export function readFailedItems(
  payload: string | undefined,
  identifiers: readonly string[],
): ReadonlySet<string> | 'all' {
  const reply: BatchReply | null = JSON.parse(payload ?? 'null');
  const failures = reply?.batchItemFailures ?? [];
  const named = failures.map(({ itemIdentifier }) => itemIdentifier);
  const known = named.filter((name): name is string => typeof name === 'string' && identifiers.includes(name));
  return known.length === named.length ? new Set(known) : 'all';
}
