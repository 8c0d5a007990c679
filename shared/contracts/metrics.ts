import { receiptOutcomes } from './events.ts';
import { maximumCount } from './limits.ts';

/**
 * The metrics that the platform itself writes, as data: functions emit them, and the dashboard, the alarms and the
 * documents are made from this list. Each stage has its own namespace, so the values of two stages are never added up.
 *
 * Counts of business come from committed changes: `count-changes` reads them in the table's stream. A change is counted
 * again only if the stream delivers its record again.
 */

/** When a metric sets off an alarm: at a value above zero or another number, or when it is absent for some time. */
interface MetricAlarm {
  readonly severity: 'page' | 'ticket';
  readonly when: 'aboveZero' | { readonly above: number } | { readonly absentMinutes: number };
  /** In how many successive periods of five minutes the metric has to be above the value; one by default. */
  readonly periods?: number;
  /** The alarm exists only on stages where this setting is true. */
  readonly setting?: 'syntheticPurchase';
  /** What fails when the alarm goes off, and for whom. */
  readonly impact: string;
  /** The section of docs/runbook.md about this alarm. */
  readonly section: string;
}

/** One metric, or one for each value of a dimension. */
interface PlatformMetric {
  readonly unit: 'Count' | 'Milliseconds';
  /** The names of the consumers that write it. */
  readonly consumers: readonly string[];
  readonly meaning: string;
  /** The dimension, and its values if they are known. */
  readonly by?: { readonly dimension: string; readonly values?: readonly string[] };
  /**
   * The metric counts a log message. `value` names the field of the message that contains the number to add. If `value`
   * is absent, each message adds 1.
   */
  readonly message?: { readonly text: string; readonly value?: string };
  readonly alarm?: MetricAlarm;
}

const minutesPerHour = 60;

/** The ages of pending transactions: the values of the dimension of `PendingTransactions`. */
export const pendingAges = ['up to an hour', 'up to a day', 'over a day'] as const;
export type PendingAge = (typeof pendingAges)[number];

const changes = { unit: 'Count', consumers: ['count-changes'] } as const;
const backlogs = { unit: 'Count', consumers: ['measure-backlogs'] } as const;
const books = { unit: 'Count', consumers: ['reconcile-daily'] } as const;
const synthetic = { unit: 'Count', consumers: ['synthetic-purchase'] } as const;

export const platformMetrics = {
  Awards: { ...changes, meaning: 'rewards that a program confirmed' },
  AwardedPoints: { ...changes, meaning: 'the points of these rewards' },
  Redemptions: { ...changes, meaning: 'payments with points that a program confirmed' },
  RedeemedPoints: { ...changes, meaning: 'the points of these payments' },
  Reversals: { ...changes, meaning: 'rewards and payments with points that a refund reversed' },
  Restorations: { ...changes, meaning: 'reversed amounts that were given back' },
  CashbackCents: { ...changes, meaning: 'cashback that was awarded, less cashback that was reversed' },
  PaymentEvents: {
    ...changes,
    by: { dimension: 'outcome', values: receiptOutcomes },
    meaning: 'events of payment platforms',
  },
  PendingTransactions: {
    ...backlogs,
    by: { dimension: 'age', values: pendingAges },
    meaning: "transactions that wait for a partner's own program, by the time since their creation",
  },
  WaitingPrograms: { ...backlogs, meaning: 'programs with a transaction that is pending for more than an hour' },
  WaitingEndpoints: { ...backlogs, meaning: 'endpoints of webhooks with a probe or parked deliveries ahead' },
  ParkedDeliveries: { ...backlogs, meaning: 'deliveries that wait for these endpoints' },
  UnansweredPosts: {
    unit: 'Count',
    consumers: ['post-to-program'],
    by: { dimension: 'partnerId' },
    message: { text: 'transaction.postponed' },
    meaning: "attempts that a partner's own program did not answer",
  },
  NewlyParked: {
    unit: 'Count',
    consumers: ['deliver-webhook', 'deliver-slow-webhook', 'resume-endpoint'],
    message: { text: 'deliveries.parked', value: 'count' },
    meaning: 'deliveries that were parked because their endpoint failed',
  },
  BooksInconsistent: {
    ...books,
    meaning: 'violations that the daily reconciliation found',
    alarm: {
      ...{ severity: 'page', when: 'aboveZero', section: 'books-do-not-reconcile' },
      impact: 'Balances, totals or held points disagree with the ledger: members may have too many or too few points.',
    },
  },
  BooksMoving: {
    ...books,
    meaning: 'members that the daily reconciliation could not compare, because they changed between its readings',
    alarm: {
      ...{ severity: 'ticket', when: { above: maximumCount.toleratedMoving }, section: 'books-do-not-reconcile' },
      impact: 'The books of many members were not compared: a violation of theirs goes unnoticed.',
    },
  },
  ReconcileFinished: {
    ...books,
    meaning: 'daily reconciliations that came to their end',
    alarm: {
      ...{ severity: 'ticket', when: { absentMinutes: 26 * minutesPerHour }, section: 'books-do-not-reconcile' },
      impact: 'The books were not reconciled for more than a day: a violation would go unnoticed.',
    },
  },
  SyntheticPurchaseSucceeded: {
    ...synthetic,
    meaning: 'purchases of the test member that were rewarded',
    alarm: {
      ...{ severity: 'page', when: { absentMinutes: 20 }, section: 'the-synthetic-purchase-fails' },
      setting: 'syntheticPurchase',
      impact: 'No purchase of the test member was rewarded for 20 minutes: purchases of members may fail too.',
    },
  },
  SyntheticPurchaseFailed: {
    ...synthetic,
    meaning: 'purchases of the test member that failed',
    alarm: {
      ...{ severity: 'page', when: 'aboveZero', periods: 3, section: 'the-synthetic-purchase-fails' },
      impact: 'Three purchases of the test member in a row failed: purchases of members probably fail too.',
    },
  },
  SyntheticPurchaseDuration: {
    ...synthetic,
    unit: 'Milliseconds',
    meaning: 'the time in which endpoints 1 and 2 answered the test member',
  },
} as const satisfies Readonly<Record<string, PlatformMetric>>;
export type MetricName = keyof typeof platformMetrics;

/** The platform's metrics as a list, each with its name. The type of an element contains all optional fields. */
export const metricList = Object.entries<PlatformMetric>(platformMetrics).map(([name, metric]) => ({
  name,
  ...metric,
}));
export type ListedMetric = (typeof metricList)[number];

/** The metrics that each endpoint writes for each request. */
export const endpointMetrics = { duration: 'durationMs', failures: 'failures' } as const;

/**
 * The metrics that are counted in the access logs of all hosts: replies with status 429 from the host itself, and from
 * an endpoint.
 */
export const accessMetrics = { throttled: 'GatewayThrottled', contention: 'ContentionRefused' } as const;

/** Values of one metric. `part` is the value of the metric's dimension. */
export interface Measurement {
  readonly name: MetricName;
  readonly values: readonly number[];
  readonly part?: string;
}
