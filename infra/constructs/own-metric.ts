import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { ListedMetric } from '../../shared/contracts/metrics.ts';
import type { StageSettings } from '../stages.ts';
import { FailureAlarm, orZero } from './alarms.ts';
import type { Platform } from './platform.ts';

/** Each stage has its own namespace, so that no metric mixes the stages of one account. */
export const metricNamespace = ({ name }: StageSettings): string => `RewardsPlatform/${name}`;

export interface OwnMetricProps {
  readonly platform: Platform;
  readonly metric: ListedMetric;
  /** The name of the function in its logs and metrics. */
  readonly service: string;
  readonly logGroup: LogGroup;
}

/** One of the platform's own metrics: the filter that counts its log lines, and its alarm. */
export class OwnMetric extends Construct {
  constructor(scope: Construct, id: string, { platform, metric, service, logGroup }: OwnMetricProps) {
    super(scope, id);
    const { name, message, by, alarm } = metric;
    if (message) {
      new MetricFilter(this, 'Filter', {
        logGroup,
        filterPattern: FilterPattern.stringValue('$.message', '=', message.text),
        metricNamespace: metricNamespace(platform.stage),
        metricName: name,
        metricValue: message.value ? `$.${message.value}` : '1',
        ...(by && { dimensions: { [by.dimension]: `$.${by.dimension}` } }),
      });
    }
    const isWanted = alarm?.setting === undefined || platform.stage[alarm.setting];
    if (alarm && isWanted) this.#alarm(platform, { ...metric, alarm }, service);
  }

  #alarm(
    platform: Platform,
    { name, alarm }: ListedMetric & { alarm: NonNullable<ListedMetric['alarm']> },
    service: string,
  ): void {
    const { when, periods, setting: _, ...text } = alarm;
    const of = (period: Duration) =>
      new Metric({
        namespace: metricNamespace(platform.stage),
        metricName: name,
        dimensionsMap: { service },
        statistic: 'Sum',
        period,
      });
    if (when === 'aboveZero' || 'above' in when) {
      const threshold = when === 'aboveZero' ? 0 : when.above;
      new FailureAlarm(this, 'Alarm', { platform, ...text, periods, threshold, metric: of(Duration.minutes(5)) });
      return;
    }
    const period = when.absentMinutes < 60 ? Duration.minutes(5) : Duration.hours(1);
    new FailureAlarm(this, 'Alarm', {
      ...{ platform, ...text, metric: orZero(of(period), period) },
      ...{ isFloor: true, threshold: 1, periods: Math.ceil(when.absentMinutes / period.toMinutes()) },
      missing: 'itStopped',
    });
  }
}
