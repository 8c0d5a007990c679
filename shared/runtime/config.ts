import * as z from 'zod/mini';

/** What a function is told by its environment; the stacks set every name that is read here. */
const Config = z.object({
  /** Part of every key and token: those of another stage are not even looked up. */
  STAGE: z.string().check(z.regex(/^[a-z]+$/)),
  TABLE_NAME: z.string().check(z.minLength(1)),
  /** Hosts that webhooks may be sent to over http; none but on one's own machine. */
  WEBHOOK_HTTP_HOSTS: z.pipe(
    z._default(z.string(), ''),
    z.transform((hosts: string) => hosts.split(',').filter(Boolean)),
  ),
  BUS_NAME: z.optional(z.string()),
  QUEUE_URL_DELIVER: z.optional(z.string()),
  SCHEDULE_GROUP: z.optional(z.string()),
  SCHEDULE_ROLE_ARN: z.optional(z.string()),
  SCHEDULE_TARGET_ARN: z.optional(z.string()),
});

export interface Config {
  readonly stage: string;
  readonly tableName: string;
  readonly webhookHttpHosts: readonly string[];
  readonly busName: string | undefined;
  readonly queueUrls: { readonly deliver: string | undefined };
  /** Where one-time schedules go, the role that they are done by, and the bus that they tell. */
  readonly clock: {
    readonly groupName: string | undefined;
    readonly roleArn: string | undefined;
    readonly targetArn: string | undefined;
  };
}

/**
 * Reads the configuration.
 *
 * @throws ZodError that names every variable that is missing or wrong
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const config = Config.parse(environment);
  return {
    stage: config.STAGE,
    tableName: config.TABLE_NAME,
    webhookHttpHosts: config.WEBHOOK_HTTP_HOSTS,
    busName: config.BUS_NAME,
    queueUrls: { deliver: config.QUEUE_URL_DELIVER },
    clock: {
      groupName: config.SCHEDULE_GROUP,
      roleArn: config.SCHEDULE_ROLE_ARN,
      targetArn: config.SCHEDULE_TARGET_ARN,
    },
  };
}
