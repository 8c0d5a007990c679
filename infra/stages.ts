/**
 * What differs between the stages, as data. The resources never do: `local` is what `npm start`
 * synthesizes, so that what runs on one machine is what is deployed.
 */
export interface StageSettings {
  readonly name: StageName;
  /** Named, because a table with a key of its own cannot be synthesized for any region. */
  readonly region: string;
  /** Requests that one host takes before API Gateway answers 429. */
  readonly throttle: { readonly ratePerSecond: number; readonly burst: number };
  /** Requests within five minutes before WAF answers 429. */
  readonly webRateLimit: { readonly perApiKey: number; readonly perIp: number };
  /** Whether the table, its key and the event archive outlive the stack and refuse deletion. */
  readonly keepsData: boolean;
  readonly logRetentionDays: number;
  readonly logLevel: 'DEBUG' | 'INFO' | 'WARN';
  /** Hosts that a webhook may be sent to over plain http; every other endpoint must be https. */
  readonly webhookHttpHosts: readonly string[];
}

export const stageNames = ['sandbox', 'production', 'local'] as const;
export type StageName = (typeof stageNames)[number];

const sandbox: StageSettings = {
  name: 'sandbox',
  region: 'us-east-1',
  throttle: { ratePerSecond: 100, burst: 200 },
  webRateLimit: { perApiKey: 15_000, perIp: 15_000 },
  keepsData: false,
  logRetentionDays: 30,
  logLevel: 'INFO',
  webhookHttpHosts: [],
};

const production: StageSettings = {
  name: 'production',
  region: 'us-east-1',
  throttle: { ratePerSecond: 2_000, burst: 4_000 },
  // A partner's servers share few addresses and few keys: both limits are a multiple of a busy partner's traffic.
  webRateLimit: { perApiKey: 150_000, perIp: 150_000 },
  keepsData: true,
  logRetentionDays: 365,
  logLevel: 'INFO',
  webhookHttpHosts: [],
};

const local: StageSettings = {
  ...sandbox,
  name: 'local',
  // Whoever measures on one machine must not measure the sandbox's limits.
  throttle: production.throttle,
  webhookHttpHosts: ['127.0.0.1', 'localhost'],
};

const stages: Readonly<Record<StageName, StageSettings>> = { sandbox, production, local };

/**
 * The settings of a stage; the sandbox's when none is named.
 * @throws Error for a name that is no stage's, so that a typing error never deploys.
 */
export function stageSettings(name: unknown = 'sandbox'): StageSettings {
  const found = stageNames.find((known) => known === name);
  if (!found) throw new Error(`unknown stage ${JSON.stringify(name)}: give -c stage=${stageNames.join('|')}`);
  return stages[found];
}
