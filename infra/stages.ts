import { RemovalPolicy } from 'aws-cdk-lib';
import type { Host } from '../shared/contracts/contract.ts';

/** Requests that a host accepts from all callers together before API Gateway answers 429. */
interface Throttle {
  readonly ratePerSecond: number;
  /** The number of requests in a burst. */
  readonly burst: number;
}

/** Backups that outlive the table, its key and the region. */
export interface BackupSettings {
  /** A backup cannot be deleted earlier. */
  readonly retentionDays: number;
  /** The vault in another region or account that receives a copy of each backup. Without it the region holds all of them. */
  readonly copyToVaultArn?: string;
}

/**
 * The domain of a stage, whose hosts are `<host>.<name>`: `reward.sandbox.example.com`. In the hosted zone of Route 53, the
 * stage makes its DNS records, and its certificates unless it gets one for `*.<name>`.
 */
export type StageDomain = { readonly name: string } & (
  | { readonly hostedZoneId: string }
  | { readonly certificateArn: string }
);

/**
 * The differences between the stages, as data. The resources are the same on every stage: `npm start` runs `local`, so
 * one machine runs the same resources as AWS.
 */
export interface StageSettings {
  readonly name: StageName;
  /** Required, because a table with a key of its own cannot be synthesized without a region. */
  readonly region: string;
  /** The throttle of every host, unless `hosts` has one for it. */
  readonly throttle: { readonly default: Throttle; readonly hosts: Partial<Record<Host, Throttle>> };
  /**
   * Requests within five minutes before WAF answers 429. Above a limit WAF refuses all requests of the key or address, not
   * only the surplus. `secretsPerIp` counts the requests to `/oauth/token` and `/connect/`.
   */
  readonly webRateLimit: { readonly perApiKey: number; readonly perIp: number; readonly secretsPerIp: number };
  /** Purchases per second that the stage is made for: `npm run deploy` compares the quotas of the account with them. */
  readonly purchasesPerSecond: number;
  /**
   * Invocations at the same time that no other function of the account can take from a function (`<host>/<name>`), and
   * that it cannot exceed. AWS requires that 100 remain for the functions without an entry: a new account has too few.
   */
  readonly reservedConcurrency: Readonly<Record<string, number>>;
  /** Whether the table, its key, the event archive and the logs outlive their stack, and the stacks refuse deletion. */
  readonly keepsData: boolean;
  readonly backups?: BackupSettings;
  /** The table that was restored from a backup and takes the place of the stack's own table. */
  readonly restoredTable?: { readonly name: string; readonly arn: string; readonly streamArn: string };
  /** Whether CloudTrail records every access to the table by someone else than the platform's functions. */
  readonly recordsAccess: boolean;
  /** Whether it is an alarm that no synthetic purchase succeeds. Its tenant is made first: docs/deploy.md. */
  readonly syntheticPurchase: boolean;
  /** Whether a new version of an endpoint first gets a tenth of the requests for ten minutes. */
  readonly rollsOutGradually: boolean;
  /** The receivers of alarms: e-mail addresses, and `https:` addresses such as those of a pager service. */
  readonly alarmAddresses: { readonly page: readonly string[]; readonly ticket: readonly string[] };
  /** The dollars that the stage may cost in a month. A forecast above it sends a ticket and these e-mails. */
  readonly budget: { readonly monthlyDollars: number; readonly emails: readonly string[] };
  /**
   * Units that the table, and each of its indexes, gives in a second. More requests are refused, so a runaway costs a
   * known sum at most. A limit that is too low refuses purchases.
   */
  readonly tableMaximum: { readonly readUnits: number; readonly writeUnits: number };
  /** The account's quota of functions that run at the same time. */
  readonly accountConcurrency: number;
  readonly logRetentionDays: number;
  readonly logLevel: 'DEBUG' | 'INFO' | 'WARN';
  /** The stage's own domain. Without it, each host has the address that API Gateway gives it. */
  readonly domain?: StageDomain;
  /**
   * The URLs of hosts as callers use them, without a slash at the end, where something else than {@link domain} leads to
   * a host, such as a proxy.
   */
  readonly publicUrls: Partial<Record<Host, string>>;
  /**
   * The partner event sources of payment platforms, such as `aws.partner/stripe.com/ed_…`. Each is associated with a bus
   * of the same name when the stage is deployed, within seven days after the platform created it.
   */
  readonly partnerEventSources: readonly string[];
  /** Hosts to which webhooks may use plain http; every other endpoint must be https. */
  readonly webhookHttpHosts: readonly string[];
}

export const stageNames = ['sandbox', 'production', 'local'] as const;
export type StageName = (typeof stageNames)[number];

const sandbox: StageSettings = {
  name: 'sandbox',
  region: 'us-east-1',
  throttle: { default: { ratePerSecond: 100, burst: 200 }, hosts: {} },
  webRateLimit: { perApiKey: 15_000, perIp: 15_000, secretsPerIp: 1_500 },
  purchasesPerSecond: 10,
  reservedConcurrency: {},
  keepsData: false,
  recordsAccess: false,
  syntheticPurchase: false,
  rollsOutGradually: false,
  alarmAddresses: { page: [], ticket: [] },
  budget: { monthlyDollars: 400, emails: [] },
  // The throttle of a host lets 50 purchases through in a second, which need 1,700 units. A day at the maximum costs $150.
  tableMaximum: { readUnits: 4_000, writeUnits: 2_000 },
  accountConcurrency: 1_000,
  logRetentionDays: 30,
  logLevel: 'INFO',
  publicUrls: {},
  partnerEventSources: [],
  webhookHttpHosts: [],
};

const production: StageSettings = {
  name: 'production',
  region: 'us-east-1',
  throttle: {
    default: { ratePerSecond: 2_000, burst: 4_000 },
    // Half as much again as the two requests of each of 1,000 purchases.
    hosts: { reward: { ratePerSecond: 3_000, burst: 6_000 } },
  },
  // The servers of a large merchant share one address and one key. At 1,000 purchases a second they send 2,000 requests
  // with tokens of members, and 1,000 orders with the key.
  webRateLimit: { perApiKey: 450_000, perIp: 900_000, secretsPerIp: 6_000 },
  purchasesPerSecond: 1_000,
  // Five times what the endpoints need on average. The relay has four batches for each of the stream's 35 shards.
  reservedConcurrency: {
    'reward/authenticate-transaction': 200,
    'reward/create-transaction': 200,
    'consumers/relay-outbox': 150,
  },
  keepsData: true,
  recordsAccess: true,
  syntheticPurchase: false,
  // Enter the vault for copies before the first member joins: docs/architecture/backups.md.
  backups: { retentionDays: 35 },
  rollsOutGradually: true,
  alarmAddresses: { page: [], ticket: [] },
  budget: { monthlyDollars: 5_000, emails: [] },
  // AWS's quotas of a table. A thousand purchases a second need 30,000 write units.
  tableMaximum: { readUnits: 40_000, writeUnits: 40_000 },
  accountConcurrency: 1_000,
  logRetentionDays: 365,
  logLevel: 'INFO',
  publicUrls: {},
  partnerEventSources: [],
  webhookHttpHosts: [],
};

const local: StageSettings = {
  ...sandbox,
  name: 'local',
  // The sandbox's limits must not slow a measurement on one machine.
  throttle: production.throttle,
  partnerEventSources: [
    'aws.partner/stripe.com/ed_test_RewardsDemo',
    'aws.partner/shopify.com/427319918593/rewards-demo',
  ],
  webhookHttpHosts: ['127.0.0.1', 'localhost'],
};

const stages: Readonly<Record<StageName, StageSettings>> = { sandbox, production, local };

/**
 * The settings of a stage; the sandbox's by default.
 * @throws Error for an unknown name, so a misspelt stage is never deployed
 */
export function stageSettings(name: unknown = 'sandbox'): StageSettings {
  const found = stageNames.find((known) => known === name);
  if (!found) throw new Error(`unknown stage ${JSON.stringify(name)}: use -c stage=${stageNames.join('|')}`);
  return stages[found];
}

/** The URL of a host where the stage configures it; without a slash at the end. */
export function publicUrlOf({ publicUrls, domain }: StageSettings, host: Host): string | undefined {
  return publicUrls[host] ?? (domain && `https://${hostNameOf(domain, host)}`);
}

/** The name of a host in the domain of its stage. */
export const hostNameOf = ({ name }: StageDomain, host: Host): string => `${host}.${name}`;

/**
 * What becomes of a resource with data when its stack is deleted. On stages that keep data it stays, unless it was made
 * by a deployment that failed: then it goes, so the deployment can be repeated.
 */
export const dataRemovalPolicy = ({ keepsData }: StageSettings): RemovalPolicy =>
  keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
