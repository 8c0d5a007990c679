import { Metrics } from '@aws-lambda-powertools/metrics';
import type { AnyContract } from '../contracts/contract.ts';
import { once } from '../domain/memoize.ts';

const metrics = once(() => new Metrics());

/** Writes the metrics of a request as a line of the log, from which CloudWatch makes them. */
export function measureRequest({ host, name }: AnyContract, status: number, durationMs: number): void {
  metrics().addDimension('endpoint', `${host}/${name}`);
  metrics().addMetric('durationMs', 'Milliseconds', durationMs);
  metrics().addMetric(status >= 500 ? 'failures' : status >= 400 ? 'refusals' : 'successes', 'Count', 1);
  metrics().publishStoredMetrics();
}
