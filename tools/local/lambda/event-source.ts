import { compilePattern } from '../eventbridge/pattern.ts';
import type { Resource } from '../template/resources.ts';

/** An event source mapping as the template describes it. */
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

/** Something that goes on until it is stopped. */
export interface Running {
  stop(): Promise<void>;
}

const understood: ReadonlySet<string> = new Set<keyof MappingProperties | 'Tags' | 'MetricsConfig'>([
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

/** @throws Error naming a property that would silently have no effect. */
export function mappingProperties(resource: Resource): MappingProperties {
  const properties = resource.properties<MappingProperties>();
  const strange = Object.keys(properties).filter((name) => !understood.has(name));
  if (strange.length > 0)
    throw new Error(`${resource.logicalId}: the local platform does not know ${strange.join(', ')}`);
  return properties;
}

/** Whether a record passes the mapping's filters; without any, all do. */
export function recordFilter({ FilterCriteria }: MappingProperties): (record: object) => boolean {
  const patterns = FilterCriteria?.Filters?.map(({ Pattern }) => compilePattern(Pattern)) ?? [];
  return (record) => patterns.length === 0 || patterns.some((pattern) => pattern.matches(record));
}

/**
 * The items of a batch that the function says it could not handle: `all` when the answer names none rightly.
 * The rules are Lambda's: nothing, null or an empty list is success; an empty or unknown identifier fails the whole batch.
 */
export function failedItems(payload: string | undefined, identifiers: readonly string[]): ReadonlySet<string> | 'all' {
  const answer = JSON.parse(payload ?? 'null') as { batchItemFailures?: { itemIdentifier?: unknown }[] | null } | null;
  const failures = answer?.batchItemFailures ?? [];
  const named = failures.map(({ itemIdentifier }) => itemIdentifier);
  const known = named.filter((name): name is string => typeof name === 'string' && identifiers.includes(name));
  return known.length === named.length ? new Set(known) : 'all';
}
