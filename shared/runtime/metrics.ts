import { Metrics } from '@aws-lambda-powertools/metrics';
import { type Measurement, metricList } from '../contracts/metrics.ts';
import { once } from '../domain/memoize.ts';

const metrics = once(() => new Metrics());
const known = new Map(metricList.map((metric) => [metric.name, metric]));

/**
 * Writes measurements as lines of the log, from which CloudWatch makes metrics (Embedded Metric Format). It calls no
 * service. The dimensions are `service`, which is the function's name, and the metric's own dimension.
 *
 * @throws TypeError when a measurement names a part, but its metric has no dimension
 */
export function measure(measurements: readonly Measurement[]): void {
  const present = measurements.filter(({ values }) => values.length > 0);
  const whole = present.filter(({ part }) => part === undefined);
  for (const { name, values } of whole) for (const value of values) metrics().addMetric(name, unitOf(name), value);
  if (whole.length > 0) metrics().publishStoredMetrics();
  for (const { name, values, part } of present) {
    if (part === undefined) continue;
    for (const value of values) {
      const single = metrics().singleMetric();
      single.addDimension(dimensionOf(name), part);
      single.addMetric(name, unitOf(name), value);
    }
  }
}

const unitOf = (name: string) => known.get(name)?.unit ?? 'Count';

function dimensionOf(name: string): string {
  const dimension = known.get(name)?.by?.dimension;
  if (dimension === undefined) throw new TypeError(`the metric ${name} has no dimension`);
  return dimension;
}
