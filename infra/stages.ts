import { RemovalPolicy } from 'aws-cdk-lib';
import type { Host } from '../shared/contracts/contract.ts';
import { sitesRegion } from '../shared/contracts/edge.ts';

/** The requests, from all callers together, that a host accepts before API Gateway answers 429. */
export interface Throttle {
  readonly ratePerSecond: number;
  /** The requests that the host accepts at the same moment. */
  readonly burst: number;
}

/** Backups that outlive the table and its key. Their copies in another vault also outlive the region or account. */
export interface BackupSettings {
  /** How long a backup is kept. It cannot be deleted earlier. */
  readonly retentionDays: number;
  /**
   * The vault in another region or account that receives a copy of each backup. Without it, all backups are in the
   * stage's own region.
   */
  readonly copyToVaultArn?: string;
}

/**
 * The domain of a stage. Its hosts are named `<host>.<name>`, such as `reward.sandbox.example.com`, and its dashboard
 * `dashboard.<name>`. People sign in at `sign-in.<name>`: Cognito wants that `<name>` itself has an A record.
 *
 * - With `hostedZoneId`, the stage makes its DNS records in that hosted zone of Route 53. It also makes its
 *   certificates with that zone, unless `certificateArn` is given.
 * - With `certificateArn`, the stage uses that certificate, which is for `*.<name>`. CloudFront takes certificates of
 *   us-east-1 only: a stage of another region needs a second one there as `sitesCertificateArn`, unless it has a zone.
 */
export type StageDomain = { readonly name: string } & (
  | { readonly hostedZoneId: string }
  | { readonly certificateArn: string; readonly sitesCertificateArn?: string }
);

/**
 * The differences between the stages, as data. The resources are the same on every stage, so `npm start`, which runs
 * the stage `local` on one machine, runs the same resources as AWS.
 */
export interface StageSettings {
  readonly name: StageName;
  /** Required: without a region, CDK cannot synthesize a table that has its own encryption key. */
  readonly region: string;
  /** The throttle of each host: its entry in `hosts`, or else `default`. */
  readonly throttle: { readonly default: Throttle; readonly hosts: Partial<Record<Host, Throttle>> };
  /**
   * The requests that WAF allows within five minutes. Above a limit, WAF answers 429 to all requests of the key or
   * address, not only to the surplus. `secretsPerIp` counts the requests to `/oauth/token` and `/connect/`.
   */
  readonly webRateLimit: { readonly perApiKey: number; readonly perIp: number; readonly secretsPerIp: number };
  /** Purchases per second that the stage is made for: `npm run deploy` compares the quotas of the account with them. */
  readonly purchasesPerSecond: number;
  /**
   * For each function (`<host>/<name>`), the concurrent invocations that are reserved for it. Other functions of the
   * account cannot use them, and the function cannot exceed them. AWS requires that 100 remain for functions without an
   * entry. The quota of a new account is too small for any entry.
   */
  readonly reservedConcurrency: Readonly<Record<string, number>>;
  /** Whether the table, its key, the event archive and the logs outlive their stack, and the stacks refuse deletion. */
  readonly keepsData: boolean;
  readonly backups?: BackupSettings;
  /** The table that was restored from a backup and takes the place of the stack's own table. */
  readonly restoredTable?: { readonly name: string; readonly arn: string; readonly streamArn: string };
  /** Whether CloudTrail records every access to the table by anyone except the platform's functions. */
  readonly recordsAccess: boolean;
  /**
   * Whether an alarm goes off when no synthetic purchase succeeds. An operator makes the tenant of this purchase first:
   * docs/deploy.md.
   */
  readonly syntheticPurchase: boolean;
  /** Whether a new version of an endpoint first gets a tenth of the requests for ten minutes. */
  readonly rollsOutGradually: boolean;
  /** The receivers of alarms: e-mail addresses, and `https:` addresses such as those of a pager service. */
  readonly alarmAddresses: { readonly page: readonly string[]; readonly ticket: readonly string[] };
  /**
   * The dollars that the stage may cost in a month. If the forecast or the cost is higher, AWS sends a ticket, and
   * e-mails to these addresses.
   */
  readonly budget: { readonly monthlyDollars: number; readonly emails: readonly string[] };
  /**
   * The units that the table, and each of its indexes, serves in a second. Requests above them are refused, so code
   * that sends too many requests costs a limited sum. If the numbers are too low, purchases are refused.
   */
  readonly tableMaximum: { readonly readUnits: number; readonly writeUnits: number };
  /** The quota of the account for concurrent invocations of functions. */
  readonly accountConcurrency: number;
  readonly logRetentionDays: number;
  readonly logLevel: 'DEBUG' | 'INFO' | 'WARN';
  /** The stage's own domain. Without it, each host has the address that API Gateway gives it. */
  readonly domain?: StageDomain;
  /**
   * The URLs that callers use for hosts, if they differ from {@link domain}, for example because of a proxy. No URL
   * ends with a slash.
   */
  readonly publicUrls: Partial<Record<Host, string>>;
  /**
   * The partner event sources of payment platforms, such as `aws.partner/stripe.com/ed_…`. The deployment of the stage
   * associates each source with a bus of the same name. The stage has to be deployed within seven days after the
   * payment platform created the source.
   */
  readonly partnerEventSources: readonly string[];
  /** Hosts to which webhooks may use plain http; every other endpoint must be https. */
  readonly webhookHttpHosts: readonly string[];
  /**
   * The id of the version of the secret `rewards-<stage>/edge` that the delivery network sends. A rotation of the secret
   * enters it; without it, the version is the one of the last deployment that changed the delivery network.
   */
  readonly edgeSecretVersion?: string;
  /**
   * How CloudFront is paid: by `usage`, or by the `free` plan, which includes the firewall and the log of the site, up to
   * 1 million requests and 100 GB a month. An account has three free plans at most. CloudFormation makes and ends a
   * plan, but never changes its tier.
   */
  readonly edgePlan: 'usage' | 'free';
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
  // The throttle of a host accepts 50 purchases in a second, which need 1,700 units. A day at this maximum costs
  // $150.
  tableMaximum: { readUnits: 4_000, writeUnits: 2_000 },
  accountConcurrency: 1_000,
  logRetentionDays: 30,
  logLevel: 'INFO',
  publicUrls: {},
  partnerEventSources: [],
  webhookHttpHosts: [],
  edgePlan: 'usage',
};

const production: StageSettings = {
  name: 'production',
  region: 'us-east-1',
  throttle: {
    default: { ratePerSecond: 2_000, burst: 4_000 },
    // 1,000 purchases a second send 2,000 requests. The throttle allows 3,000, as a margin.
    hosts: { reward: { ratePerSecond: 3_000, burst: 6_000 } },
  },
  // The servers of a large merchant share one address and one key. At 1,000 purchases a second, these servers send
  // 2,000 requests with tokens of members, and 1,000 orders with the key.
  webRateLimit: { perApiKey: 450_000, perIp: 900_000, secretsPerIp: 6_000 },
  purchasesPerSecond: 1_000,
  // For the endpoints, five times the average need. For the relay, four batches at a time for each of the stream's 35
  // shards.
  reservedConcurrency: {
    'reward/authenticate-transaction': 200,
    'reward/create-transaction': 200,
    'consumers/relay-outbox': 150,
  },
  keepsData: true,
  recordsAccess: true,
  syntheticPurchase: false,
  // Add `copyToVaultArn` before the first member joins: docs/architecture/backups.md.
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
  edgePlan: 'usage',
};

const local: StageSettings = {
  ...sandbox,
  name: 'local',
  // With the low limits of the sandbox, measurements on one machine would be slow.
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

/** Returns the URL of a host if the stage configures it; it has no slash at the end. */
export function publicUrlOf({ publicUrls, domain }: StageSettings, host: Host): string | undefined {
  return publicUrls[host] ?? (domain && `https://${hostNameOf(domain, host)}`);
}

/** The name of a host in the domain of its stage. */
export const hostNameOf = ({ name }: StageDomain, host: Host): string => `${host}.${name}`;

/** The regions of a stage's stacks: its own, and that of its sites. */
export const regionsOf = ({ region }: StageSettings): readonly string[] => [...new Set([region, sitesRegion])];

/** The name of a site in the domain of its stage. */
export const siteNameOf = ({ name }: StageDomain, site: 'dashboard' | 'sign-in'): string => `${site}.${name}`;

/**
 * What happens to a resource with data when its stack is deleted. On stages that keep data, the resource stays. But a
 * resource that a failed deployment has created is deleted, so the deployment can be repeated.
 */
export const dataRemovalPolicy = ({ keepsData }: StageSettings): RemovalPolicy =>
  keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
