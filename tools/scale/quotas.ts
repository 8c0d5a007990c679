/**
 * The limits that a stage may reach under load, as data. docs/architecture/scale.md lists them, and `npm run deploy`
 * compares them with the quotas of the account.
 */

/** A limit of AWS, or a setting of the platform that AWS enforces. */
export interface Quota {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /**
   * - `request`: AWS raises the limit on request. If the limit has a code in Service Quotas, the request contains the
   *   code.
   * - `start`: the value of a new table or account. The value grows with the load, or a setting raises it.
   * - `fixed`: the limit cannot be raised.
   */
  readonly raise: 'request' | 'start' | 'fixed';
  /** The code of the limit's service in Service Quotas; absent for a limit that Service Quotas does not list. */
  readonly service?: string;
  /** The code of the limit in Service Quotas. */
  readonly code?: string;
  /** A part of the limit's name in Service Quotas, when its code is not known. */
  readonly listedAs?: string;
  readonly source: string;
}

/** When the quotas were last looked up. Each deployment compares them with the quotas of its account. */
export const quotasCheckedIn = '2026-11';

const dynamoDb = 'docs.aws.amazon.com/amazondynamodb/latest/developerguide';
const eventBridge = 'docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html';
const queues = 'docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-queues.html';

/** Quotas in us-east-1. In other regions, some quotas are lower, such as those of EventBridge and KMS. */
export const quotas = {
  newTableWrites: {
    name: 'Writes of a new on-demand table',
    value: 4_000,
    unit: 'write units a second',
    raise: 'start',
    source: `${dynamoDb}/on-demand-capacity-mode.html`,
  },
  newTableReads: {
    name: 'Reads of a new on-demand table',
    value: 12_000,
    unit: 'read units a second',
    raise: 'start',
    source: `${dynamoDb}/on-demand-capacity-mode.html`,
  },
  tableWrites: {
    name: 'Table-level write throughput limit',
    value: 40_000,
    unit: 'write units a second',
    raise: 'request',
    service: 'dynamodb',
    code: 'L-AB614373',
    source: `${dynamoDb}/ServiceQuotas.html`,
  },
  tableReads: {
    name: 'Table-level read throughput limit',
    value: 40_000,
    unit: 'read units a second',
    raise: 'request',
    service: 'dynamodb',
    code: 'L-CF0CBE56',
    source: `${dynamoDb}/ServiceQuotas.html`,
  },
  partitionWrites: {
    name: 'Writes of one partition',
    value: 1_000,
    unit: 'write units a second',
    raise: 'fixed',
    source: `${dynamoDb}/warm-throughput-scenarios.html`,
  },
  partitionReads: {
    name: 'Reads of one partition',
    value: 3_000,
    unit: 'read units a second',
    raise: 'fixed',
    source: `${dynamoDb}/warm-throughput-scenarios.html`,
  },
  shardReaders: {
    name: 'Readers of one shard of the stream',
    value: 2,
    unit: 'readers',
    raise: 'fixed',
    source: 'docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_GetRecords.html',
  },
  concurrency: {
    name: 'Concurrent executions',
    value: 1_000,
    unit: 'invocations at the same time',
    raise: 'request',
    service: 'lambda',
    code: 'L-B99A9384',
    source: 'docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html',
  },
  newAccountConcurrency: {
    name: 'Concurrent executions of a new account',
    value: 10,
    unit: 'invocations at the same time',
    raise: 'start',
    service: 'lambda',
    code: 'L-B99A9384',
    source: 'docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html',
  },
  queueConcurrency: {
    name: 'Invocations of one queue at the same time',
    value: 1_250,
    unit: 'invocations at the same time',
    raise: 'request',
    source: 'docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html',
  },
  messagesInFlight: {
    name: 'Messages in flight of one standard queue',
    value: 120_000,
    unit: 'messages',
    raise: 'request',
    service: 'sqs',
    listedAs: 'in flight (standard queue)',
    source: queues,
  },
  busRequests: {
    name: 'PutEvents throttle limit in transactions per second',
    value: 10_000,
    unit: 'a second',
    raise: 'request',
    service: 'events',
    code: 'L-9B653E91',
    source: eventBridge,
  },
  busInvocations: {
    name: 'Invocations throttle limit in transactions per second',
    value: 18_750,
    unit: 'a second',
    raise: 'request',
    service: 'events',
    code: 'L-5540C5E3',
    source: eventBridge,
  },
  gatewayRequests: {
    name: 'Throttle rate',
    value: 10_000,
    unit: 'requests a second',
    raise: 'request',
    service: 'apigateway',
    code: 'L-8A5B8E43',
    source: 'docs.aws.amazon.com/apigateway/latest/developerguide/limits.html',
  },
  keyRequests: {
    name: 'Cryptographic operations (symmetric) request rate',
    value: 100_000,
    unit: 'requests a second',
    raise: 'request',
    service: 'kms',
    code: 'L-6E3AF000',
    source: 'docs.aws.amazon.com/general/latest/gr/kms.html',
  },
  regionalApis: {
    name: 'Regional APIs',
    value: 600,
    unit: 'APIs',
    raise: 'fixed',
    service: 'apigateway',
    code: 'L-AA0FF27B',
    source: 'docs.aws.amazon.com/apigateway/latest/developerguide/limits.html',
  },
  domainNames: {
    name: 'Custom Domain Names',
    value: 120,
    unit: 'names',
    raise: 'request',
    service: 'apigateway',
    code: 'L-A93447B8',
    source: 'docs.aws.amazon.com/apigateway/latest/developerguide/limits.html',
  },
  busRules: {
    name: 'Number of rules of one bus',
    value: 300,
    unit: 'rules',
    raise: 'request',
    service: 'events',
    code: 'L-244521F2',
    source: eventBridge,
  },
  schedules: {
    name: 'Number of schedules',
    value: 10_000_000,
    unit: 'schedules',
    raise: 'request',
    service: 'scheduler',
    listedAs: 'number of schedules',
    source: 'docs.aws.amazon.com/scheduler/latest/UserGuide/scheduler-quotas.html',
  },
  webAcls: {
    name: 'Web ACLs of a region',
    value: 100,
    unit: 'web ACLs',
    raise: 'request',
    service: 'wafv2',
    listedAs: 'web acls',
    source: 'docs.aws.amazon.com/waf/latest/developerguide/limits.html',
  },
  alarms: {
    name: 'Alarms',
    value: 5_000,
    unit: 'alarms',
    raise: 'request',
    service: 'monitoring',
    listedAs: 'alarms',
    source: 'docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html',
  },
  stacks: {
    name: 'Stack count',
    value: 2_000,
    unit: 'stacks',
    raise: 'request',
    service: 'cloudformation',
    code: 'L-0485CB21',
    source: 'docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html',
  },
  stackResources: {
    name: 'Resources of one stack',
    value: 500,
    unit: 'resources',
    raise: 'fixed',
    source: 'docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html',
  },
} as const satisfies Record<string, Quota>;
