import { Duration, Stack } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { Consumer } from '../../shared/contracts/consumer.ts';
import type { AnyContract } from '../../shared/contracts/contract.ts';
import { accessMetrics } from '../../shared/contracts/metrics.ts';
import { earlyShare, FailureAlarm } from '../constructs/alarms.ts';
import { StageDashboard } from '../constructs/dashboard.ts';
import { metricNamespace } from '../constructs/own-metric.ts';
import type { Platform } from '../constructs/platform.ts';
import { stageTag } from '../constructs/tags.ts';
import type { StageSettings } from '../stages.ts';
import type { DataStack } from './data-stack.ts';

export interface WatchStackProps {
  readonly stage: StageSettings;
  readonly data: DataStack;
  readonly contracts: readonly AnyContract[];
  readonly consumers: readonly Consumer[];
}

/**
 * What an operator sees of the whole stage: the dashboard, the budget, and the alarms that belong to no single
 * function. No other stack uses this stack, so it can be deleted and deployed again at any time.
 */
export class WatchStack extends Stack {
  constructor(scope: Construct, id: string, { stage, data, contracts, consumers }: WatchStackProps) {
    super(scope, id, {
      env: { region: stage.region },
      description: `Rewards Platform (${stage.name}): dashboard, alarms of the whole stage, budget`,
      terminationProtection: stage.keepsData,
    });
    const platform = data.platformFor(this);
    new StageDashboard(this, 'Dashboard', { stage, tableName: platform.table.tableName, contracts, consumers });
    this.#accountAlarms(platform);
    this.#throttleAlarm(platform);
    this.#budget(platform);
  }

  /**
   * Adds the alarms about the account's quota of concurrent invocations. The functions of all stages in the account
   * share it.
   */
  #accountAlarms(platform: Platform): void {
    const { accountConcurrency } = platform.stage;
    const of = (metricName: string, statistic: string) =>
      new Metric({ namespace: 'AWS/Lambda', metricName, statistic, period: Duration.minutes(1) });
    new FailureAlarm(this, 'ConcurrencyAlarm', {
      ...{ platform, severity: 'ticket', section: 'functions-are-near-their-quota', periods: 5 },
      metric: of('ConcurrentExecutions', 'Maximum'),
      threshold: earlyShare * accountConcurrency,
      impact: `More than ${earlyShare * 100} % of the account's ${accountConcurrency} functions run at once. At the quota, requests fail.`,
    });
    new FailureAlarm(this, 'ThrottlesAlarm', {
      // A ticket is enough: when callers notice the failure, the alarm of their host sends a page.
      ...{ platform, severity: 'ticket', section: 'functions-are-near-their-quota', periods: 5 },
      metric: of('Throttles', 'Sum'),
      impact: 'Lambda refuses to start functions: requests fail, and work after the reply is late.',
    });
  }

  /**
   * Adds the alarm about requests that a host's throttle refuses: the stage's setting may be too low for its partners.
   */
  #throttleAlarm(platform: Platform): void {
    new FailureAlarm(this, 'GatewayThrottledAlarm', {
      ...{ platform, severity: 'ticket', section: 'callers-get-429', periods: 3 },
      metric: new Metric({
        namespace: metricNamespace(platform.stage),
        metricName: accessMetrics.throttled,
        statistic: 'Sum',
        period: Duration.minutes(5),
      }),
      impact: 'The throttle of a host refuses requests of all its callers with 429.',
    });
  }

  /**
   * Sends an e-mail and a ticket when the forecast for the month is above the budget, and again when the real cost
   * is above it.
   */
  #budget({ stage, alarms }: Platform): void {
    const { monthlyDollars, emails } = stage.budget;
    const subscribers = [
      { subscriptionType: 'SNS', address: alarms.ticket.topicArn },
      ...emails.map((address) => ({ subscriptionType: 'EMAIL', address })),
    ];
    new CfnBudget(this, 'Budget', {
      budget: {
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: monthlyDollars, unit: 'USD' },
        // An operator has to activate this tag for cost allocation, once per account.
        costFilters: { TagKeyValue: [`user:${stageTag}$${stage.name}`] },
      },
      notificationsWithSubscribers: ['FORECASTED', 'ACTUAL'].map((notificationType) => ({
        notification: {
          ...{ notificationType, comparisonOperator: 'GREATER_THAN' },
          ...{ threshold: 100, thresholdType: 'PERCENTAGE' },
        },
        subscribers,
      })),
    });
  }
}
