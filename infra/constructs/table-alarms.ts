import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { tableIndexes } from '../../shared/contracts/table.ts';
import type { StageSettings } from '../stages.ts';
import { type AlarmTopics, earlyShare, FailureAlarm } from './alarms.ts';

/**
 * The name of the table's alarm. The alarms of hosts refer to it, because the table may be the cause of their failures.
 */
export const tableAlarmName = ({ name }: StageSettings): string => `rewards-${name}-table-throttled`;

export interface TableMetricProps {
  readonly tableName: string;
  readonly metricName: string;
  /** The name of an index; undefined for the table itself. */
  readonly index?: string;
  readonly period?: Duration;
}

/** The sum of a metric of the table, or of one of its indexes. */
export function tableMetric({ tableName, metricName, index, period = Duration.minutes(5) }: TableMetricProps): Metric {
  return new Metric({
    namespace: 'AWS/DynamoDB',
    metricName,
    dimensionsMap: { TableName: tableName, ...(index && { GlobalSecondaryIndexName: index }) },
    statistic: 'Sum',
    period,
  });
}

/** The values of `index` in {@link TableMetricProps}: undefined for the table, and the name of each index. */
export const tableAndIndexes: readonly (string | undefined)[] = [undefined, ...Object.keys(tableIndexes)];

/**
 * The client library repeats a refused request, so a few refusals do no harm. With more than this many
 * refusals in five minutes, callers notice.
 */
const toleratedThrottles = 100;

export interface TableAlarmsProps {
  readonly platform: { readonly alarms: AlarmTopics; readonly stage: StageSettings };
  readonly tableName: string;
}

/** The alarms of the table: about requests that it refuses, and about consumption near the maximum of the stage. */
export class TableAlarms extends Construct {
  constructor(scope: Construct, id: string, { platform, tableName }: TableAlarmsProps) {
    super(scope, id);
    const { stage } = platform;
    new FailureAlarm(this, 'ThrottledAlarm', {
      name: tableAlarmName(stage),
      ...{ platform, severity: 'page', section: 'the-table-refuses-requests' },
      metric: throttles(tableName),
      threshold: toleratedThrottles,
      impact: 'DynamoDB refuses requests: partners get 429 and 5xx, and all work after the reply is late.',
    });
    const used = { Read: stage.tableMaximum.readUnits, Write: stage.tableMaximum.writeUnits };
    for (const [kind, maximum] of Object.entries(used)) {
      const period = Duration.minutes(1);
      new FailureAlarm(this, `${kind}UnitsAlarm`, {
        ...{ platform, severity: 'ticket', section: 'the-table-nears-its-maximum', periods: 5 },
        metric: tableMetric({ tableName, metricName: `Consumed${kind}CapacityUnits`, period }),
        threshold: earlyShare * maximum * period.toSeconds(),
        impact: `The table is near its maximum of ${maximum} ${kind.toLowerCase()} units a second. Above it, it refuses requests.`,
      });
    }
  }
}

/**
 * Counts every refused request to the table or to an index. The expression is SUM and not `+`, because some of these
 * metrics have no data.
 */
function throttles(tableName: string): IMetric {
  const usingMetrics: Record<string, IMetric> = {};
  for (const index of tableAndIndexes) {
    for (const kind of ['Read', 'Write']) {
      const name = `${kind.toLowerCase()}s_${index ?? 'table'}`;
      usingMetrics[name] = tableMetric({ tableName, metricName: `${kind}ThrottleEvents`, ...(index && { index }) });
    }
  }
  const expression = `SUM([${Object.keys(usingMetrics).join(', ')}])`;
  return new MathExpression({ expression, usingMetrics, label: 'refused requests', period: Duration.minutes(5) });
}
