/** Public list prices and assumptions, as data: docs/cost.md is computed from them. */

export interface Price {
  readonly dollars: number;
  /** The number of units that the price is for. */
  readonly per: number;
  readonly unit: string;
  readonly source: string;
}

const million = 1_000_000;

/** When the prices were last compared with their sources. */
export const pricesCheckedIn = '2026-11';

/** AWS list prices in us-east-1, in the first tier, without free tiers and discounts. */
export const prices = {
  writeUnit: { dollars: 0.625, per: million, unit: 'write units', source: 'aws.amazon.com/dynamodb/pricing/on-demand' },
  readUnit: { dollars: 0.125, per: million, unit: 'read units', source: 'aws.amazon.com/dynamodb/pricing/on-demand' },
  storage: { dollars: 0.25, per: 1, unit: 'GB and month', source: 'aws.amazon.com/dynamodb/pricing/on-demand' },
  backup: { dollars: 0.2, per: 1, unit: 'GB and month', source: 'aws.amazon.com/dynamodb/pricing/on-demand' },
  apiRequest: { dollars: 3.5, per: million, unit: 'requests', source: 'aws.amazon.com/api-gateway/pricing' },
  inspectedRequest: { dollars: 0.6, per: million, unit: 'requests', source: 'aws.amazon.com/waf/pricing' },
  webAcl: { dollars: 5, per: 1, unit: 'web ACL and month', source: 'aws.amazon.com/waf/pricing' },
  webAclRule: { dollars: 1, per: 1, unit: 'rule and month', source: 'aws.amazon.com/waf/pricing' },
  invocation: { dollars: 0.2, per: million, unit: 'invocations', source: 'aws.amazon.com/lambda/pricing' },
  computeTime: { dollars: 0.0000133334, per: 1, unit: 'GB-second (Arm)', source: 'aws.amazon.com/lambda/pricing' },
  busEvent: { dollars: 1, per: million, unit: 'custom events', source: 'aws.amazon.com/eventbridge/pricing' },
  archivedEvents: { dollars: 0.1, per: 1, unit: 'GB archived', source: 'aws.amazon.com/eventbridge/pricing' },
  scheduledCall: { dollars: 1, per: million, unit: 'scheduled calls', source: 'aws.amazon.com/eventbridge/pricing' },
  queueRequest: { dollars: 0.4, per: million, unit: 'requests', source: 'aws.amazon.com/sqs/pricing' },
  fairQueueRequest: { dollars: 0.1, per: million, unit: 'requests, added', source: 'aws.amazon.com/sqs/pricing' },
  log: { dollars: 0.5, per: 1, unit: 'GB written', source: 'aws.amazon.com/cloudwatch/pricing' },
  metric: { dollars: 0.3, per: 1, unit: 'metric and month', source: 'aws.amazon.com/cloudwatch/pricing' },
  alarm: { dollars: 0.1, per: 1, unit: 'alarm and month', source: 'aws.amazon.com/cloudwatch/pricing' },
  jointAlarm: { dollars: 0.5, per: 1, unit: 'composite alarm and month', source: 'aws.amazon.com/cloudwatch/pricing' },
  dashboard: { dollars: 3, per: 1, unit: 'dashboard and month', source: 'aws.amazon.com/cloudwatch/pricing' },
  trailEvent: { dollars: 0.1, per: 100_000, unit: 'data events', source: 'aws.amazon.com/cloudtrail/pricing' },
  trace: { dollars: 5, per: million, unit: 'traces', source: 'aws.amazon.com/xray/pricing' },
  key: { dollars: 1, per: 1, unit: 'key and month', source: 'aws.amazon.com/kms/pricing' },
  keyRequest: { dollars: 0.03, per: 10_000, unit: 'requests', source: 'aws.amazon.com/kms/pricing' },
  transfer: { dollars: 0.09, per: 1, unit: 'GB to the internet', source: 'aws.amazon.com/ec2/pricing/on-demand' },
} as const satisfies Record<string, Price>;
export type PriceName = keyof typeof prices;

/** The load of a stage. It decides how many records and messages share an invocation or a request to a queue. */
export interface Load {
  readonly title: string;
  /** Records of the stream in one invocation. */
  readonly streamBatch: number;
  /** Messages in one receive, one delete and one invocation. */
  readonly queueBatch: number;
  /** Whether functions have credentials and lists of subscriptions in memory. */
  readonly isCached: boolean;
}

export const loads = {
  /** Each record and message is handled alone. This is the highest cost of a purchase if nothing fails. */
  single: { title: 'one at a time', streamBatch: 1, queueBatch: 1, isCached: false },
  /** A few merchants have a hundred purchases per second together: 300 records and 1,000 messages per second. */
  busy: { title: 'a hundred per second', streamBatch: 10, queueBatch: 5, isCached: true },
} as const satisfies Record<string, Load>;

/** Quantities that a run on one machine cannot measure. */
export const assumptions = {
  /**
   * Milliseconds of one invocation of an endpoint, and of a consumer. A read of DynamoDB takes 4 ms, a transaction 15
   * ms.
   */
  endpointMs: 40,
  consumerMs: 30,
  /** Milliseconds of one invocation that sends a batch of webhooks. It waits for the slowest endpoint of the batch. */
  deliveryMs: 250,
  /** The share of requests that X-Ray traces by its default rule. */
  tracedShare: 0.05,
  /** Lambda's own log lines of an invocation: START, END and REPORT. */
  invocationLogKb: 0.4,
  /** API Gateway's access log line of a request. */
  accessLogKb: 0.6,
  /** Kilobytes sent to the internet: for a reply of the API, and for a webhook with its share of a TLS connection. */
  replyKb: 1.5,
  webhookKb: 2.5,
  /** An event in the archive of the bus. */
  archivedEventKb: 0.8,
  /** The polls of a Lambda event source mapping on an idle queue: five parallel long polls of twenty seconds each. */
  idlePollsPerMinute: 15,
  /** Custom metrics of each endpoint, and API Gateway's own metrics of each method. */
  metricsPerEndpoint: 4,
  metricsPerMethod: 6,
  /**
   * How many metrics are counted for a dimension whose values are not known in advance, such as the partners whose
   * programs do not answer.
   */
  openMetrics: 5,
} as const;
