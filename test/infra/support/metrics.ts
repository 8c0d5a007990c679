import type { Json, JsonObject, Resource } from './synthesized.ts';

interface MetricData {
  readonly Expression?: string;
  readonly MetricStat?: { readonly Metric: JsonObject };
}

const dataOf = ({ Properties }: Resource) => (Properties.Metrics ?? []) as unknown as readonly MetricData[];

/** The metrics that an alarm reads: the metric of the alarm itself, or those of its expression. */
export function alarmMetrics(alarm: Resource): JsonObject[] {
  const ofExpression = dataOf(alarm).flatMap(({ MetricStat }) => (MetricStat ? [MetricStat.Metric] : []));
  return ofExpression.length > 0 ? ofExpression : [alarm.Properties];
}

/** The names of the metrics that an alarm reads. */
export const metricsOf = (alarm: Resource): Json[] => alarmMetrics(alarm).map(({ MetricName }) => MetricName ?? null);

/** The expression of an alarm. */
export const expressionOf = (alarm: Resource): string | undefined =>
  dataOf(alarm).find(({ Expression }) => Expression !== undefined)?.Expression;
