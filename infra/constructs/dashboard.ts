import { Duration } from 'aws-cdk-lib';
import {
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  MathExpression,
  Metric,
  PeriodOverride,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { Consumer } from '../../shared/contracts/consumer.ts';
import { type AnyContract, hosts } from '../../shared/contracts/contract.ts';
import { accessMetrics, endpointMetrics, type ListedMetric, metricList } from '../../shared/contracts/metrics.ts';
import type { StageSettings } from '../stages.ts';
import { metricNamespace } from './own-metric.ts';
import { tableAndIndexes, tableMetric } from './table-alarms.ts';

export interface StageDashboardProps {
  readonly stage: StageSettings;
  readonly tableName: string;
  readonly contracts: readonly AnyContract[];
  readonly consumers: readonly Consumer[];
}

const fiveMinutes = Duration.minutes(5);

/** A dashboard of CloudWatch is 24 columns wide. */
const columns = 24;
const height = 6;

/**
 * The dashboard of a stage, made from the contracts, the consumers and the list of the platform's own metrics.
 *
 * CloudFormation chooses the names of functions and queues. The dashboard finds a function or queue by the words in the
 * name of its stack. So the dashboard refers to no other stack, and a consumer can be deleted without a change here.
 */
export class StageDashboard extends Construct {
  readonly #props: StageDashboardProps;

  constructor(scope: Construct, id: string, props: StageDashboardProps) {
    super(scope, id);
    this.#props = props;
    new Dashboard(this, 'Resource', {
      dashboardName: `rewards-${props.stage.name}`,
      // By default, CloudWatch would sum hourly counts over longer periods when the dashboard shows a long time.
      periodOverride: PeriodOverride.INHERIT,
      widgets: [
        heading('Requests'),
        this.#traffic(),
        this.#latency(),
        this.#failingEndpoints(),
        heading('Limits'),
        this.#limits(),
        heading('Table'),
        this.#table(),
        heading('Work after the reply'),
        this.#backlogs(),
        heading('Business'),
        this.#business(),
      ],
    });
  }

  #traffic(): IWidget[] {
    const sumOf = (metricName: string) => hosts.map((host) => this.#hostMetric(host, metricName, 'Sum'));
    return [
      graph('Requests by host', sumOf('Count')),
      graph('Replies 5xx by host', sumOf('5XXError')),
      graph('Replies 4xx by host', sumOf('4XXError')),
    ];
  }

  #latency(): IWidget[] {
    const percentile = (statistic: string) => hosts.map((host) => this.#hostMetric(host, 'Latency', statistic));
    const watched = this.#props.contracts.filter(({ p99GoalMs }) => p99GoalMs !== undefined);
    return [
      graph('p50 by host, ms', percentile('p50')),
      graph('p99 by host, ms', percentile('p99')),
      graph(
        'p99 of endpoints with an alarm, ms',
        watched.map((contract) => this.#endpointMetric(contract, 'duration', 'p99')),
      ),
    ];
  }

  #failingEndpoints(): IWidget[] {
    return hosts.map((host) => {
      const own = this.#props.contracts.filter((contract) => contract.host === host);
      return graph(
        `Failures on ${host}, by endpoint`,
        own.map((contract) => this.#endpointMetric(contract, 'failures', 'Sum')),
      );
    });
  }

  #limits(): IWidget[] {
    const { stage } = this.#props;
    const ofAccount = (metricName: string, statistic: string) =>
      new Metric({ namespace: 'AWS/Lambda', metricName, statistic, period: fiveMinutes, label: 'the account' });
    const blocked = new Metric({
      namespace: 'AWS/WAFV2',
      metricName: 'BlockedRequests',
      dimensionsMap: { WebACL: `rewards-${stage.name}`, Rule: 'ALL', Region: stage.region },
      ...{ statistic: 'Sum', period: fiveMinutes, label: 'by the firewall' },
    });
    return [
      graph('Functions at the same time', [
        ofAccount('ConcurrentExecutions', 'Maximum'),
        ...this.#functionParts().map((part) => this.#lambda(part, 'ConcurrentExecutions', 'Maximum')),
      ]),
      graph('Functions that Lambda refused to start', [
        ofAccount('Throttles', 'Sum'),
        ...this.#functionParts().map((part) => this.#lambda(part, 'Throttles', 'Sum')),
      ]),
      graph('Requests refused with 429', [
        this.#own(accessMetrics.throttled, { label: 'by the throttle of a host' }),
        this.#own(accessMetrics.contention, { label: 'because of contention in the table' }),
        blocked,
      ]),
    ];
  }

  #table(): IWidget[] {
    const { tableName } = this.#props;
    const of = (metricName: string, perSecond: boolean) =>
      tableAndIndexes.map((index) => {
        const metric = tableMetric({ tableName, metricName, ...(index && { index }) });
        const label = index ? `index ${index}` : 'table';
        if (!perSecond) return metric.with({ label: `${label}, ${metricName}` });
        const units = `units_${index ?? 'table'}`;
        return new MathExpression({
          expression: `${units} / PERIOD(${units})`,
          usingMetrics: { [units]: metric },
          ...{ label, period: fiveMinutes },
        });
      });
    return [
      graph('Refused requests', [...of('ReadThrottleEvents', false), ...of('WriteThrottleEvents', false)]),
      graph('Read units a second', of('ConsumedReadCapacityUnits', true)),
      graph('Write units a second', of('ConsumedWriteCapacityUnits', true)),
    ];
  }

  #backlogs(): IWidget[] {
    const [consumersPart, dataPart] = ['consumers', 'data'];
    const age = this.#search('AWS/SQS', 'QueueName', consumersPart, 'ApproximateAgeOfOldestMessage', 'Maximum');
    const waiting = (part: string) =>
      this.#search('AWS/SQS', 'QueueName', part, 'ApproximateNumberOfMessagesVisible', 'Maximum');
    return [
      graph('Age of the oldest message, s', [age]),
      graph('Waiting messages; failure queues too', [waiting(consumersPart), waiting(dataPart)]),
      graph('Age of records in the stream (lag of the outbox and of counters), ms', [
        this.#lambda(consumersPart, 'IteratorAge', 'Maximum'),
      ]),
      graph('Errors of consumers', [this.#lambda(consumersPart, 'Errors', 'Sum')]),
      graph('Calls of consumers', [this.#lambda(consumersPart, 'Invocations', 'Sum')]),
      ...this.#ownGraphs(fiveMinutes, (metric) => !isHourly(metric)),
    ];
  }

  #business(): IWidget[] {
    return this.#ownGraphs(Duration.hours(1), isHourly);
  }

  /** A graph for each of the platform's own metrics that an existing consumer writes. */
  #ownGraphs(period: Duration, isWanted: (metric: ListedMetric) => boolean): IWidget[] {
    const present = new Set(this.#props.consumers.map(({ name }) => name));
    return metricList
      .filter((metric) => isWanted(metric) && metric.consumers.some((name) => present.has(name)))
      .map((metric) => {
        const title = `${sentence(metric.meaning)}${isHourly(metric) ? ', by the hour' : ''}`;
        return graph(title, this.#ownMetrics(metric, period));
      });
  }

  #ownMetrics({ name, by, message, consumers, unit }: ListedMetric, period: Duration): IMetric[] {
    // A backlog is measured every few minutes, and the sum of these measurements means nothing.
    const statistic = consumers.includes(backlogConsumer) ? 'Maximum' : 'Sum';
    if (message) {
      if (!by) return [this.#own(name, { statistic, period, label: name })];
      return [this.#searchOwn(name, by.dimension, period)];
    }
    return consumers.flatMap((consumer) => {
      const service = { service: `consumers/${consumer}` };
      if (!by?.values)
        return [this.#own(name, { statistic, period, label: `${name} (${unit})`, dimensionsMap: service })];
      return by.values.map((value) => {
        const dimensionsMap = { ...service, [by.dimension]: value };
        return this.#own(name, { statistic, period, label: value, dimensionsMap });
      });
    });
  }

  #own(metricName: string, { statistic = 'Sum', period = fiveMinutes, ...rest }: OwnMetricOptions): Metric {
    return new Metric({ namespace: metricNamespace(this.#props.stage), metricName, statistic, period, ...rest });
  }

  #searchOwn(metricName: string, dimension: string, period: Duration): IMetric {
    const schema = `{"${metricNamespace(this.#props.stage)}","${dimension}"}`;
    return search(`${schema} MetricName="${metricName}"`, 'Sum', period);
  }

  /** The last part of the name of each stack that has functions: the name is `rewards-<stage>-<part>`. */
  #functionParts(): readonly string[] {
    return [...hosts, 'consumers'];
  }

  #lambda(part: string, metricName: string, statistic: string): IMetric {
    return this.#search('AWS/Lambda', 'FunctionName', part, metricName, statistic);
  }

  /**
   * Searches for the metrics of all resources of one stack. The names of the resources begin with the words of the
   * stack's name.
   */
  #search(namespace: string, dimension: string, part: string, metricName: string, statistic: string): IMetric {
    const words = ['rewards', this.#props.stage.name, part].map((word) => `${dimension}=${word}`).join(' ');
    return search(`{${namespace},${dimension}} MetricName="${metricName}" ${words}`, statistic, fiveMinutes);
  }

  #hostMetric(host: string, metricName: string, statistic: string): IMetric {
    const { name } = this.#props.stage;
    return new Metric({
      namespace: 'AWS/ApiGateway',
      dimensionsMap: { ApiName: `rewards-${name}-${host}`, Stage: name },
      ...{ metricName, statistic, period: fiveMinutes, label: host },
    });
  }

  #endpointMetric({ host, name }: AnyContract, metric: keyof typeof endpointMetrics, statistic: string): IMetric {
    const service = `${host}/${name}`;
    return this.#own(endpointMetrics[metric], {
      statistic,
      label: name,
      dimensionsMap: { service, endpoint: service },
    });
  }
}

interface OwnMetricOptions {
  readonly statistic?: string;
  readonly period?: Duration;
  readonly label: string;
  readonly dimensionsMap?: Readonly<Record<string, string>>;
}

const backlogConsumer = 'measure-backlogs';

/** Business metrics are counted by the hour. All other metrics show the present state, or failures. */
const isHourly = ({ consumers }: ListedMetric): boolean => consumers.includes('count-changes');

function search(schemaAndTerms: string, statistic: string, period: Duration): IMetric {
  const expression = `SEARCH('${schemaAndTerms}', '${statistic}')`;
  return new MathExpression({ expression, usingMetrics: {}, label: '', period });
}

const heading = (markdown: string): IWidget[] => [
  new TextWidget({ markdown: `## ${markdown}`, width: columns, height: 1 }),
];

const graph = (title: string, left: readonly IMetric[]): IWidget =>
  new GraphWidget({ title, left: [...left], width: columns / 3, height, liveData: true });

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
