import file from './counted.json' with { type: 'json' };

/** The counts of one kind of work, made by `npm run bench cost` on the local platform. */
export interface JourneyCount {
  /** Requests to the API. */
  readonly requests: number;
  /** The counts of each function, by the function's name. */
  readonly functions: Readonly<Record<string, FunctionCount>>;
  /** Events on the bus. */
  readonly events: number;
  /** Calls of a function to a queue; each sends up to ten messages. */
  readonly sends: number;
  readonly webhooks: number;
  /** The size of the lines that the functions log themselves. */
  readonly logKb: number;
  /** New items in the table that are never deleted, with the overhead of DynamoDB. */
  readonly keptKb: number;
  /** New items that DynamoDB deletes after 30 days or less. */
  readonly expiringKb: number;
}

interface FunctionCount {
  /**
   * The requests, stream records or queue messages that the function receives. If each arrives alone, this is also the
   * number of invocations.
   */
  readonly messages: number;
  /** Read units, without the reads of credentials and lists of subscriptions, which functions cache. */
  readonly readUnits: number;
  readonly writeUnits: number;
  /** The part of the write units that counters need. A batch of the stream changes each counter only once. */
  readonly sharedWriteUnits: number;
}

/** The resources of a stage that cost money without any work. */
export interface ResourceCount {
  /** The metrics that all alarms read, counted for each alarm: AWS bills an alarm by the number of its metrics. */
  readonly alarmMetrics: number;
  readonly jointAlarms: number;
  readonly dashboards: number;
  readonly keys: number;
  readonly webAcls: number;
  readonly webAclRules: number;
  readonly consumedQueues: number;
  readonly endpoints: number;
  /** Memory of a function. */
  readonly memoryMb: number;
}

export const journeyNames = [
  'purchase',
  'redemption',
  'order',
  'refund',
  'trigger',
  'payment',
  'payment refund',
] as const;
export type JourneyName = (typeof journeyNames)[number];

export interface Counted {
  readonly journeys: Readonly<Record<JourneyName, JourneyCount>>;
  readonly resources: ResourceCount;
}

/** The last accepted counts. */
export const counted: Counted = file;

export const countedFile = 'tools/cost/counted.json';
